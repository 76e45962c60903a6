// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/units.h"
#include "rig/mapping/mapping.h"

namespace rig {
namespace {

std::string list(const std::vector<unsigned>& cpus) { return format_cpu_list({cpus.begin(), cpus.end()}); }

bool holds(const std::vector<unsigned>& cpus, unsigned os) { return std::binary_search(cpus.begin(), cpus.end(), os); }

// "core 4, L2 of 8-9, L3 of 0-15, package 0": caches that are more than one core's.
std::string where(const Host& host, unsigned os) {
  const HostCpu* cpu = find_cpu(host, os);
  if (cpu == nullptr) return "";
  std::string text = fmt::format("core {}", cpu->core);
  for (const auto& cache : host.caches) {
    if (!holds(cache.cpus, os)) continue;
    const bool shared = std::any_of(cache.cpus.begin(), cache.cpus.end(), [&](unsigned other) {
      const HostCpu* one = find_cpu(host, other);
      return one != nullptr && one->core != cpu->core;
    });
    if (shared) text += fmt::format(", L{} of {}", cache.level, list(cache.cpus));
  }
  for (const auto& package : host.packages) {
    if (holds(package.cpus, os)) text += fmt::format(", package {}", package.os);
  }
  for (const auto& node : host.nodes) {
    if (holds(node.cpus, os)) text += fmt::format(", node {}", node.os);
  }
  if (!cpu->kind_name.empty()) text += ", " + cpu->kind_name;
  return text + (cpu->isolated ? ", isolated" : "");
}

}  // namespace

std::string draw(const Mapping& mapping, const Topology& guest, const Host& host) {
  std::string text = fmt::format("{} on host {}\n", guest.name, host.source);
  for (std::size_t cpu = 0; cpu < mapping.cpu_of_vcpu.size(); ++cpu) {
    const unsigned os = mapping.cpu_of_vcpu[cpu];
    text += fmt::format("  CPU {:<4} on host CPU {:<5} {}\n", cpu, os, where(host, os));
  }
  for (std::size_t n = 0; n < mapping.node_of_guest_node.size(); ++n) {
    const auto& node = mapping.node_of_guest_node[n];
    text += fmt::format("  node {:<3} {}, {}\n", n, format_bytes(guest.nodes.at(n).memory),
                        node ? fmt::format("in host node {}", *node) : "in no host node");
  }
  text += fmt::format("  QEMU's other threads on host CPU{} {}\n", mapping.emulator.size() == 1 ? "" : "s",
                      list(mapping.emulator));
  for (const auto& note : mapping.notes) text += fmt::format("note: {}\n", note);
  text += mapping.exact ? "mapping: exact\n" : "mapping: partial\n";
  for (const auto& lost : mapping.lost) text += fmt::format("lost: {}\n", lost.text);
  return text;
}

}  // namespace rig
