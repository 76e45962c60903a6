// SPDX-License-Identifier: GPL-2.0-or-later
// What the model counts for each vCPU, and where its cycles went.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rig/model/machine_spec.h"

namespace rig::model {

// What served a line. "Transfer": another cache had it modified (or, between packages' caches where
// clean lines are passed on, had it); by the level inside which the two caches meet.
enum class Source : std::uint8_t {
  Level1,
  Level2,
  Level3,
  TransferLevel2,
  TransferLevel3,
  TransferPackage,
  TransferOtherPackage,
  Memory,
  RemoteMemory,
};
inline constexpr std::size_t source_count = 9;
const char* name(Source source);  // "transfer-package"

// Where the other copies were that a store to a shared line did away with.
enum class Reach : std::uint8_t { Level2, Level3, Package, OtherPackage };
inline constexpr std::size_t reach_count = 4;
const char* name(Reach reach);

struct Tally {
  std::uint64_t count = 0;
  Cycles cycles = 0;
  bool operator==(const Tally&) const = default;
};

// All in one vCPU's own doing: a transfer is counted where it was waited for. Every line of an access
// is served once, so that loads + stores + locked + splits = Σ served. Upgrades and queueing come on
// top. cycles() of all is what the model returned in all.
struct Counters {
  std::uint64_t instructions = 0;
  Cycles compute = 0;  // of instructions: by class, with average fetch and page walks
  std::uint64_t loads = 0, stores = 0, locked = 0, splits = 0;
  Cycles locked_cycles = 0, split_cycles = 0;  // beyond the lines themselves
  std::array<Tally, source_count> served{};
  std::array<Tally, reach_count> upgrades{};
  Tally queueing;  // transactions that waited for a bus or a memory
  std::array<Tally, device_count> devices{};
  Tally ipis, interrupts, halt_exits;
  // Without a cost of their own.
  std::uint64_t writebacks = 0;          // modified lines leaving the outermost cache
  std::uint64_t back_invalidations = 0;  // lines of inner caches lost to inclusion
  std::uint64_t invalidated = 0;         // lines lost to stores of others, charged to the storing vCPU
  bool operator==(const Counters&) const = default;

  Cycles cycles() const;
};

// What devices did to memory, in lines. No vCPU's own doing.
struct DmaCounters {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t written_back = 0;  // lines that a cache had modified
  std::uint64_t invalidated = 0;   // copies in level-1 caches lost to writes
  bool operator==(const DmaCounters&) const = default;
};

// (name, value) of every counter, "served.transfer-package.count" and the like, in a fixed order.
std::vector<std::pair<std::string, std::uint64_t>> listing(const Counters& counters);

}  // namespace rig::model
