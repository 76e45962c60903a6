// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "rig/base/units.h"
#include "rig/host/host.h"
#include "rig/topology/topology.h"

namespace rig {
namespace {

std::string list(const std::vector<unsigned>& cpus) { return format_cpu_list({cpus.begin(), cpus.end()}); }

std::vector<unsigned> common(const std::vector<unsigned>& a, const std::vector<unsigned>& b) {
  std::vector<unsigned> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// Caches of one level and size in one line: "L2 1 MiB  [0,4] [1,5]".
std::string cache_lines(const Host& host, const std::vector<unsigned>& within) {
  std::map<std::pair<int, std::uint64_t>, std::string> rows;
  for (const auto& cache : host.caches) {
    if (common(cache.cpus, within).empty()) continue;
    rows[{-cache.level, cache.size}] += fmt::format(" [{}]", list(cache.cpus));
  }
  std::string text;
  for (const auto& [key, groups] : rows) {
    const std::string size = key.second == 0 ? "" : format_bytes(key.second);
    text += fmt::format("  {:<18}{}\n", fmt::format("L{} {}", -key.first, size), groups);
  }
  return text;
}

std::string core_line(const Host& host, const std::vector<unsigned>& within) {
  std::map<unsigned, std::vector<unsigned>> cores;
  bool threads = false;
  for (const unsigned os : within) {
    const HostCpu* cpu = find_cpu(host, os);
    if (cpu == nullptr) continue;
    cores[cpu->core].push_back(os);
    threads = threads || cores[cpu->core].size() > 1;
  }
  if (!threads) return "";
  std::string text = fmt::format("  {:<18}", "cores with SMT");
  for (const auto& [core, cpus] : cores) text += fmt::format(" [{}]", list(cpus));
  return text + "\n";
}

// Of a host's memory a decimal is enough.
std::string memory_text(std::uint64_t bytes) {
  constexpr double gib = 1u << 30;
  return bytes % (1u << 30) == 0 ? format_bytes(bytes) : format_number(static_cast<double>(bytes) / gib, 1) + " GiB";
}

std::string unusable_lines(const Host& host) {
  std::vector<unsigned> absent, forbidden;
  for (const auto& cpu : host.cpus) {
    if (!cpu.online) {
      absent.push_back(cpu.os);
    } else if (!cpu.allowed) {
      forbidden.push_back(cpu.os);
    }
  }
  std::string text;
  if (!absent.empty()) text += fmt::format("offline, or hidden from the capture: CPUs {}\n", list(absent));
  if (!forbidden.empty()) text += fmt::format("not allowed to this process: CPUs {}\n", list(forbidden));
  return text;
}

std::string kind_lines(const Host& host) {
  std::map<unsigned, std::pair<std::string, std::vector<unsigned>>> kinds;
  for (const auto& cpu : host.cpus) {
    if (!cpu.online) continue;
    kinds[cpu.kind].first = cpu.kind_name;
    kinds[cpu.kind].second.push_back(cpu.os);
  }
  if (kinds.size() < 2) return "";
  std::string text;
  for (const auto& [kind, entry] : kinds) {
    text += fmt::format("cores of kind {}{}: CPUs {}\n", kind, entry.first.empty() ? "" : ", " + entry.first,
                        list(entry.second));
  }
  return text;
}

std::string node_line(const Host& host, std::size_t index) {
  const HostNode& node = host.nodes[index];
  std::string text = fmt::format("NUMA node {}  CPUs {}, ", node.os, node.cpus.empty() ? "none" : list(node.cpus));
  text += !node.memory ? "memory not told" : *node.memory == 0 ? "no memory" : memory_text(*node.memory);
  if (index < host.distances.size()) text += fmt::format(", distances {}", fmt::join(host.distances[index], " "));
  return text + (node.allowed ? "\n" : ", not allowed to this process\n");
}

}  // namespace

std::string draw(const Host& host) {
  std::string text =
      fmt::format("host {}{}: {} CPUs, {} usable\n\n", host.source, host.title.empty() ? "" : ", " + host.title,
                  host.cpus.size(), usable_cpus(host).size());
  std::vector<unsigned> all;
  for (const auto& cpu : host.cpus) {
    if (cpu.online) all.push_back(cpu.os);
  }
  if (host.packages.empty()) text += cache_lines(host, all) + core_line(host, all);
  for (const auto& package : host.packages) {
    text += fmt::format("package {}  CPUs {}\n", package.os, list(package.cpus));
    text += cache_lines(host, package.cpus) + core_line(host, package.cpus);
  }
  text += "\n";
  for (std::size_t i = 0; i < host.nodes.size(); ++i) text += node_line(host, i);
  text += unusable_lines(host) + kind_lines(host);
  const bool told = host.conditions != Conditions{};
  if (told) {
    text += "\nconditions\n";
    for (const auto& [name, value] : lines(host.conditions)) text += fmt::format("  {:<24}{}\n", name, value);
  }
  for (const auto& note : host.notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace rig
