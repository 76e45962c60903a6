// SPDX-License-Identifier: GPL-2.0-or-later
// Embedding guests' trees into a host's: finds a mapping that carries every relation the trees hold, whenever
// there is one, and of several the one of least cost.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "rig/mapping/tree.h"

namespace rig {

struct EmbedRequest {
  const Host* host = nullptr;
  std::vector<unsigned> cpus;           // host CPUs that may be taken (os indices)
  std::vector<const Topology*> guests;  // 1 or 2
  std::vector<int> cost;                // of taking each of cpus
  Relaxed relaxed;
  // Of each guest: host nodes (indices into host->nodes) that hold memory of its nodes without CPUs.
  std::vector<std::vector<std::size_t>> reserved;
  std::vector<std::uint64_t> reserved_bytes;  // of each host node, of all guests
};

// For each guest the host CPU (os index) of each of its CPUs; nothing where no embedding exists, or where the
// sets of a machine are not nested.
std::optional<std::vector<std::vector<unsigned>>> embed(const EmbedRequest& request);

}  // namespace rig
