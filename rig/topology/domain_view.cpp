// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>
#include <set>

#include "rig/topology/guest_view.h"

namespace rig {
namespace {

using Cpus = std::vector<int>;

std::string list_of(const Cpus& cpus) { return cpus.empty() ? "none" : format_cpu_list(cpus); }

// Of "isolcpus=3" or "isolcpus=nohz,domain,2-3" on the command line (the last one counts).
std::set<int> isolated_by(const std::string& cmdline) {
  constexpr std::string_view key = "isolcpus=";
  std::set<int> cpus;
  for (std::size_t at = 0; at < cmdline.size();) {
    const std::size_t end = std::min(cmdline.find(' ', at), cmdline.size());
    std::string_view word = std::string_view(cmdline).substr(at, end - at);
    at = end + 1;
    if (!word.starts_with(key)) continue;
    word.remove_prefix(key.size());
    while (!word.empty() && (word.front() < '0' || word.front() > '9') && word.find(',') != std::string_view::npos)
      word.remove_prefix(word.find(',') + 1);
    const auto list = parse_cpu_list(word);
    cpus = list ? std::set<int>(list->begin(), list->end()) : std::set<int>();
  }
  return cpus;
}

const Cache* last_shared_level(const Topology& topology) {
  for (const int level : {3, 2}) {
    if (const Cache* cache = data_cache(topology, level)) return cache;
  }
  return nullptr;
}

struct Level {
  std::string what;  // for people
  Cpus span;
};

Cpus cpus_where(const Topology& topology, const auto& holds) {
  Cpus cpus;
  for (int cpu = 0; cpu < cpu_count(topology); ++cpu) {
    if (holds(locate(topology, cpu))) cpus.push_back(cpu);
  }
  return cpus;
}

// All levels of a CPU, from the inside out.
std::vector<Level> levels_of(const Topology& topology, int cpu, bool by_distance) {
  const CpuLocation at = locate(topology, cpu);
  std::vector<Level> levels = {
      {"threads of a core", cpus_where(topology, [&](const CpuLocation& l) { return l.core == at.core; })}};
  if (const Cache* last = last_shared_level(topology))
    levels.push_back({"shared L" + std::to_string(last->level), sharers(topology, *last, cpu)});
  levels.push_back({topology.nodes.size() > 1 ? "node" : "machine",
                    cpus_where(topology, [&](const CpuLocation& l) { return l.node == at.node; })});
  if (topology.distances.empty()) return levels;
  const auto& row = topology.distances.at(static_cast<std::size_t>(at.node));
  const std::set<int> distances(row.begin(), row.end());
  for (const int distance : distances) {
    if (!by_distance && distance != *distances.rbegin()) continue;
    levels.push_back(
        {"nodes within distance " + std::to_string(distance), cpus_where(topology, [&](const CpuLocation& l) {
           return row.at(static_cast<std::size_t>(l.node)) <= distance;
         })});
  }
  return levels;
}

// Linux 3.5 brought a level for each distance; before, there is one for the nearest 16 nodes.
bool by_distance(const std::string& release) {
  for (const char* older : {"2.", "3.0", "3.1.", "3.2.", "3.3.", "3.4."}) {
    if (release.starts_with(older)) return false;
  }
  return true;
}

int bits_for(int count) { return static_cast<int>(std::bit_width(static_cast<unsigned>(count - 1))); }

}  // namespace

int apic_id(const Topology& t, int cpu) {
  const CpuLocation at = locate(t, cpu);
  int id = at.socket;
  id = id << bits_for(t.dies) | at.die % t.dies;
  id = id << bits_for(t.cores) | at.core % t.cores;
  return id << bits_for(t.threads) | at.thread % t.threads;
}

std::vector<std::string> domain_differences(const Topology& asked, const GuestView& seen) {
  std::vector<std::string> found;
  const bool shown = std::any_of(seen.domains.begin(), seen.domains.end(),
                                 [](const SchedDomain& domain) { return !domain.span.empty(); });
  if (!shown) return found;  // a kernel without schedstats, or of one CPU
  const std::set<int> isolated = isolated_by(seen.cmdline);
  const auto reachable = [&](Cpus cpus) {
    std::erase_if(cpus, [&](int cpu) { return isolated.contains(cpu); });
    return cpus;
  };
  const Cache* cluster = data_cache(asked, 2);
  for (const auto& cpu : seen.cpus) {
    if (isolated.contains(cpu.cpu)) continue;
    const std::string who = "CPU " + std::to_string(cpu.cpu) + ": scheduler domain";
    std::string spans;
    std::vector<Cpus> there;
    for (const auto& domain : seen.domains) {
      if (domain.cpu != cpu.cpu || domain.span.empty()) continue;
      there.push_back(domain.span);
      spans += (spans.empty() ? "" : ", ") + list_of(domain.span);
    }
    std::vector<Cpus> known;
    if (cluster != nullptr) known.push_back(reachable(sharers(asked, *cluster, cpu.cpu)));
    for (const auto& level : levels_of(asked, cpu.cpu, by_distance(seen.release))) {
      const Cpus span = reachable(level.span);
      const bool asked_before =
          std::find(known.begin() + (cluster != nullptr ? 1 : 0), known.end(), span) != known.end();
      known.push_back(span);
      if (span.size() < 2 || asked_before || std::find(there.begin(), there.end(), span) != there.end()) continue;
      found.push_back(who + " of the " + level.what + ": asked " + list_of(span) + ", seen " +
                      (spans.empty() ? "none" : spans));
    }
    for (const auto& span : there) {
      if (std::find(known.begin(), known.end(), span) == known.end())
        found.push_back(who + ": " + list_of(span) + " not asked, seen");
    }
  }
  return found;
}

}  // namespace rig
