// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/machine_spec.h"

#include <algorithm>
#include <bit>

namespace rig::model {
namespace {

constexpr const char* class_names[class_count] = {"simple", "branch", "multiply",    "divide",           "simd",
                                                  "string", "flags",  "system-call", "interrupt-return", "time-stamp",
                                                  "pause",  "fence",  "serialising"};
constexpr const char* device_names[device_count] = {"local-apic", "io-apic",    "hpet",   "serial", "pci",
                                                    "card-read",  "card-write", "memory", "port"};

std::string level_fault(const MachineSpec& s, std::size_t i) {
  const LevelSpec& level = s.levels[i];
  const std::string who = "level " + std::to_string(i + 1) + ": ";
  if (!std::has_single_bit(level.sets)) return who + "the sets are no power of two";
  if (level.ways == 0 || std::uint64_t{level.sets} * level.ways > (1u << 26)) return who + "no such number of ways";
  if (level.cpus == 0 || s.cpus_per_package % level.cpus != 0) return who + "its CPUs do not divide a package's";
  if (i == 0) return {};
  const LevelSpec& inner = s.levels[i - 1];
  if (level.cpus % inner.cpus != 0) return who + "its CPUs are no multiple of those of the level inside it";
  if (level.latency < inner.latency) return who + "its latency is below that of the level inside it";
  if (level.transfer < s.levels[0].latency) return who + "a transfer takes less than a hit in level 1";
  return {};
}

}  // namespace

const char* name(InstructionClass kind) { return class_names[static_cast<std::size_t>(kind)]; }
const char* name(Device device) { return device_names[static_cast<std::size_t>(device)]; }

std::string fault(const MachineSpec& s) {
  if (s.mhz == 0) return "no clock";
  if (s.cpus == 0 || s.cpus > 4096) return "the CPUs are not 1 to 4096";
  if (s.cpus_per_package == 0 || s.cpus % s.cpus_per_package != 0) return "packages do not divide the CPUs";
  if (s.cpus / s.cpus_per_package > 64) return "more than 64 packages";
  if (!std::has_single_bit(s.line) || s.line < 8 || s.line > 4096) return "no such line size";
  if (s.levels.empty() || s.levels.size() > 3) return "the cache levels are not 1 to 3";
  for (std::size_t i = 0; i < s.levels.size(); ++i) {
    if (std::string wrong = level_fault(s, i); !wrong.empty()) return wrong;
  }
  if (s.nodes.empty() || s.nodes.size() > 64) return "the NUMA nodes are not 1 to 64";
  if (s.node_of_cpu.size() != s.cpus) return "not one NUMA node a CPU";
  for (const auto node : s.node_of_cpu) {
    if (node >= s.nodes.size()) return "a CPU of a NUMA node that does not exist";
  }
  if (s.memory.size() != s.nodes.size()) return "no memory latency for each pair of NUMA nodes";
  const Cycles least = s.levels[0].latency;
  for (const auto& row : s.memory) {
    if (row.size() != s.nodes.size()) return "no memory latency for each pair of NUMA nodes";
    for (const auto latency : row) {
      if (latency < least) return "memory is faster than level 1";
    }
  }
  const unsigned groups = s.cpus_per_package / s.levels.back().cpus;
  if (groups > 1 && s.package.transfer < least) return "a transfer inside a package takes less than a hit in level 1";
  if (s.cpus > s.cpus_per_package && s.other_package.transfer < least) {
    return "a transfer between packages takes less than a hit in level 1";
  }
  for (const auto percent : {s.exposed_hit, s.exposed_transfer, s.exposed_memory, s.exposed_store}) {
    if (percent > 100) return "an exposed part above 100 per cent";
  }
  return {};
}

}  // namespace rig::model
