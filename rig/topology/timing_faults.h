// SPDX-License-Identifier: GPL-2.0-or-later
// How a topology's timing fits its shape.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "rig/topology/topology.h"

namespace rig {

// The caches that hold data, level 1 first; a level that the machine does not have is left out.
std::vector<const Cache*> data_levels(const Topology& topology);

// Whether anything of this machine depends on this number of its timing ("fsb.upgrade"): whether it is
// needed, or one of the few that may be left out and then cost nothing.
bool timing_counts(const Topology& topology, std::string_view path);

// As faults() of topology.h, of the timing alone; the rest must be sound and timing be there.
std::vector<std::pair<std::string, std::string>> timing_faults(const Topology& topology);

}  // namespace rig
