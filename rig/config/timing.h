// SPDX-License-Identifier: GPL-2.0-or-later
// The `timing:` of a topology.
#pragma once
#include <optional>

#include "rig/config/shape.h"
#include "rig/topology/timing.h"

namespace rig::config {

const Shape& timing_shape();

// From a section of sound shape; nothing where there is none. What is malformed is left out.
std::optional<Timing> read_timing(const yaml::Node* section);

}  // namespace rig::config
