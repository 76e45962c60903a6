// SPDX-License-Identifier: GPL-2.0-or-later
// hwloc's own handle of a host, for the survey and for captures.
#pragma once
#include <filesystem>

#include "rig/host/hwloc_topology.h"

namespace rig {

// This machine, or a copy of its /proc and /sys below another root; confined to what this process may use.
HwlocTopology load_live(const std::filesystem::path& root);
HwlocTopology load_xml(const std::filesystem::path& file);

}  // namespace rig
