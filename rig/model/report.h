// SPDX-License-Identifier: GPL-2.0-or-later
// What the plug-in reports of a run: for each region of interest where each vCPU's cycles went.
//
//   rig-model-report 1
//   spec NAME sha256=HEX mhz=2400 cpus=4 quantum=2400
//   region 1 begin-ns=… counted-ns=… end-ns=… yields=…
//   cpu 0 elapsed=… idle=… instructions=… compute.cycles=… …   as counters.h lists them
//   bus 0 busy=…                                               cycles that a package's bus was taken
//   memory 0 busy=…                                            a node's memory
//   dma reads=… writes=… written-back=… invalidated=…          lines, by devices (counters.h)
//   end
//   …                                                          the next region, up to its `end`
//   exit
//
// Written anew at each region's end and at QEMU's. `end-ns` of a region is guest time; counters run from
// `counted-ns` (the latest count mark, else the begin) to the end. A vCPU's elapsed is idle + the cycles
// of all its counters. A region that QEMU's exit cut off ends with `cut` in place of `end`. Only guest
// time and counts stand here: equal runs give equal bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rig/model/counters.h"

namespace rig::model {

struct CpuReport {
  // elapsed, idle and every counter, in the plug-in's order
  std::vector<std::pair<std::string, std::uint64_t>> values;
  std::optional<std::uint64_t> value(std::string_view name) const;
  bool operator==(const CpuReport&) const = default;
};

struct RegionReport {
  std::int64_t begin_ns = 0, counted_ns = 0, end_ns = 0;
  std::uint64_t yields = 0;
  bool cut = false;
  std::vector<CpuReport> cpus;
  std::vector<std::uint64_t> bus_busy, memory_busy;  // cycles, by package and by node
  DmaCounters dma;
  bool operator==(const RegionReport&) const = default;
};

struct ModelReport {
  std::string spec_name, spec_sha256;
  std::uint32_t mhz = 0, cpus = 0;
  std::uint64_t quantum = 0;
  std::vector<RegionReport> regions;
  bool exited = false;  // QEMU came to its own end after it
  bool operator==(const ModelReport&) const = default;
};

std::string to_text(const ModelReport& report);

// parse_report(to_text(r)) == r. Throws std::runtime_error with the line's number and what is wrong:
// unknown, missing or repeated words, numbers out of range, counts of vCPUs that differ.
ModelReport parse_report(std::string_view text);

}  // namespace rig::model
