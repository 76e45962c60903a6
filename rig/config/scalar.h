// SPDX-License-Identifier: GPL-2.0-or-later
// Scalars as values, and values out of maps. A value that is absent or malformed reads as nothing:
// check_shape has said so already, and the rest of the file can still be judged.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rig/config/yaml_tree.h"

namespace rig::config {

std::optional<std::int64_t> as_integer(const yaml::Node& node);
std::optional<std::uint64_t> as_bytes(const yaml::Node& node);
std::optional<std::int64_t> as_milliseconds(const yaml::Node& node);
std::optional<std::int64_t> as_mhz(const yaml::Node& node);  // a whole number of MHz
std::optional<bool> as_switch(const yaml::Node& node);
std::optional<std::vector<int>> as_cpus(const yaml::Node& node);

const yaml::Node* child(const yaml::Node* map, std::string_view key);  // null where absent
std::string text_at(const yaml::Node* map, std::string_view key, const std::string& otherwise = "");
std::int64_t integer_at(const yaml::Node* map, std::string_view key, std::int64_t otherwise);
int int_at(const yaml::Node* map, std::string_view key, int otherwise);
std::uint64_t bytes_at(const yaml::Node* map, std::string_view key, std::uint64_t otherwise);
std::int64_t milliseconds_at(const yaml::Node* map, std::string_view key, std::int64_t otherwise);

// The items of a list, or the value itself where it is no list; nothing where it is absent.
std::vector<yaml::NodePtr> items_at(const yaml::Node* map, std::string_view key);
std::vector<std::string> texts_at(const yaml::Node* map, std::string_view key);

}  // namespace rig::config
