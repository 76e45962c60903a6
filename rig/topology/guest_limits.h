// SPDX-License-Identifier: GPL-2.0-or-later
// What a guest of a machine cannot be without, and what QEMU cannot show: known before any boot.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rig/topology/topology.h"

namespace rig {

// Bytes that a guest of so many CPUs boots in, with a kernel and an image of rig's.
std::uint64_t least_memory(int cpus);

// Bytes of this cache that a guest sees with this CPU model, whatever the machine has. Nothing where it is not
// known: then the boot tells.
std::optional<std::uint64_t> size_shown(const std::string& cpu_model, const Cache& cache);

// As faults() of topology.h; the topology must be sound. The third is what to do.
struct GuestFault {
  std::string path, message, suggestion;
};
std::vector<GuestFault> guest_faults(const Topology& topology);

}  // namespace rig
