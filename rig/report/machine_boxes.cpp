// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/machine_boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "rig/base/units.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

// What divides a package's CPUs, from the outside in: each gives the CPUs that are together with one.
struct Division {
  std::string kind;
  std::function<std::vector<int>(int cpu)> together;
  std::function<std::string(const std::vector<int>& cpus)> label;
};

std::vector<Division> divisions_of(const Topology& machine) {
  std::vector<Division> divisions;
  const int cpus = cpu_count(machine);
  const auto same = [&machine, cpus](auto member) {
    return [&machine, cpus, member](int cpu) {
      std::vector<int> together;
      for (int other = 0; other < cpus; ++other) {
        if (locate(machine, other).*member == locate(machine, cpu).*member) together.push_back(other);
      }
      return together;
    };
  };
  if (machine.dies > 1)
    divisions.push_back(
        {"die", same(&CpuLocation::die), [](const auto& group) { return "die, CPUs " + format_cpu_list(group); }});
  for (int level = 3; level >= 2; --level) {
    const Cache* cache = data_cache(machine, level);
    if (cache == nullptr) continue;
    const std::string size = format_bytes(cache->size);
    divisions.push_back({"cache", [&machine, cache](int cpu) { return sharers(machine, *cache, cpu); },
                         [level, size](const auto&) { return fmt::format("L{} {}", level, size); }});
  }
  if (machine.threads > 1)
    divisions.push_back({"core", same(&CpuLocation::core), [](const auto&) { return std::string("core"); }});
  return divisions;
}

std::vector<Box> divided(const std::vector<Division>& divisions, std::size_t depth, const std::vector<int>& cpus) {
  std::vector<Box> boxes;
  if (depth == divisions.size()) {
    for (const int cpu : cpus) boxes.push_back({fmt::format("CPU {}", cpu), "cpu", {}});
    return boxes;
  }
  const Division& division = divisions[depth];
  for (std::size_t i = 0; i < cpus.size();) {
    std::vector<int> group;
    for (const int cpu : division.together(cpus[i])) {
      if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) group.push_back(cpu);
    }
    if (group.empty()) group = {cpus[i]};
    boxes.push_back({division.label(group), division.kind, divided(divisions, depth + 1, group)});
    i += group.size();
  }
  return boxes;
}

}  // namespace

std::vector<Box> boxes_of(const Topology& machine) {
  const auto divisions = divisions_of(machine);
  const int each = cpu_count(machine) / std::max(machine.sockets, 1);
  std::vector<Box> packages;
  for (int socket = 0; socket < machine.sockets; ++socket) {
    std::vector<int> cpus;
    for (int cpu = socket * each; cpu < (socket + 1) * each; ++cpu) cpus.push_back(cpu);
    packages.push_back(
        {fmt::format("package {}, CPUs {}", socket, format_cpu_list(cpus)), "package", divided(divisions, 0, cpus)});
  }
  return packages;
}

std::vector<std::string> nodes_of(const Topology& machine) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    const NumaNode& node = machine.nodes[i];
    std::string line =
        fmt::format("NUMA node {}: {}, {}", i, node.cpus.empty() ? "no CPUs" : "CPUs " + format_cpu_list(node.cpus),
                    format_bytes(node.memory));
    if (i < machine.distances.size()) line += fmt::format(", distances {}", fmt::join(machine.distances[i], " "));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace rig::report
