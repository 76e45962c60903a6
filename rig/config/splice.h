// SPDX-License-Identifier: GPL-2.0-or-later
// Values put into another file's tree, each of which keeps its place in the file that it was written in.
#pragma once
#include <string>
#include <string_view>

#include "rig/config/shape.h"

namespace rig::config {

// What may stand at a dotted path ("caches.l2.size"); null where there is no such path, with the fault added
// at the mark.
const Shape* shape_at(const Shape& root, const std::string& path, const yaml::Mark& at, const std::string& where,
                      Faults& faults);

// The node at a dotted path, or null.
const yaml::Node* node_at(const yaml::Node& root, std::string_view path);

// The value with this origin at every place in it.
yaml::NodePtr with_origin(const yaml::Node& value, const std::shared_ptr<const yaml::Origin>& origin);

// The tree with the value at the path, in place of what was there; maps on the way to it are made where they
// are missing. A Null value takes the key away.
yaml::NodePtr spliced(const yaml::Node& root, std::string_view path, const yaml::NodePtr& value);

// "{size: 8 MiB, ways: 16}": on one line.
std::string flow_text(const yaml::Node& node);

}  // namespace rig::config
