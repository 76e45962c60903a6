// SPDX-License-Identifier: GPL-2.0-or-later
// hwloc's handle with its owner, and what it tells as our own values.
#pragma once
#include <hwloc.h>

#include <memory>
#include <string>
#include <vector>

#include "rig/host/host.h"

namespace rig {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

// A handle that keeps what may not be used and drops devices; to be filled by one of hwloc's set functions,
// then loaded. Throws WorkError.
HwlocTopology new_topology();

// CPUs, caches, packages, nodes and distances; conditions from the infos that capture_host() wrote.
Host to_host(hwloc_topology_t topology);

// Conditions travel in a capture as infos of the machine with this before their name.
inline constexpr const char* condition_prefix = "rig:";

}  // namespace rig
