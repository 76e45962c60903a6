// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/units.h"
#include "rig/topology/topology.h"

namespace rig {
namespace {

std::string label(const Cache& cache) {
  std::string name = fmt::format("L{}", cache.level);
  if (cache.type == CacheType::Data) name += "d";
  if (cache.type == CacheType::Instruction) name += "i";
  return fmt::format("{} {}, {}-way", name, format_bytes(cache.size), cache.ways);
}

std::string timing_lines(const Timing& timing) {
  std::string text = "\ntiming, for the modelled mode: value, range, source\n";
  for (const auto& field : timing_fields()) {
    const Quantity* quantity = timing.find(field.path);
    if (quantity == nullptr) continue;
    text +=
        fmt::format("  {:<24} {:>12}", field.path, fmt::format("{} {}", quantity->value, to_string(quantity->unit)));
    text += quantity->low == quantity->high
                ? fmt::format("  {:<14}", "")
                : fmt::format("  {:<14}", fmt::format("{} to {}", quantity->low, quantity->high));
    text += quantity->source.empty() ? "set in an experiment" : quantity->source;
    if (!quantity->fitted.empty()) text += "; fitted to " + quantity->fitted;
    text += "\n";
  }
  return text;
}

}  // namespace

std::string draw(const Topology& t) {
  std::string text = fmt::format("{}: {}\n", t.name, t.title);
  if (!t.base.empty()) text += fmt::format("made from {} with\n", t.base);
  for (const auto* settings : {&t.settings, &t.swept}) {
    for (const auto& [path, value] : *settings) text += fmt::format("  {} = {}\n", path, value);
  }
  text += fmt::format("{} socket{} × {} die{} × {} core{} × {} thread{} = {} CPUs", t.sockets,
                      t.sockets == 1 ? "" : "s", t.dies, t.dies == 1 ? "" : "s", t.cores, t.cores == 1 ? "" : "s",
                      t.threads, t.threads == 1 ? "" : "s", measured_cpus(t));
  if (t.peer) text += fmt::format(", and CPU {} for the other end of a wire", format_cpu_list(peer_cpus(t)));
  text += fmt::format(", {} memory, QEMU model {}\n\n", format_bytes(memory_bytes(t)), t.cpu_model);
  std::vector<Cache> caches = t.caches;
  std::stable_sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) { return a.level > b.level; });
  for (int socket = 0; socket < t.sockets; ++socket) {
    const int per_socket = measured_cpus(t) / t.sockets;
    const int begin = socket * per_socket, end = begin + per_socket;
    text += fmt::format("package {}  CPUs {}-{}\n", socket, begin, end - 1);
    for (const auto& cache : caches) {
      text += fmt::format("  {:<18}", label(cache));
      for (int cpu = begin; cpu < end;) {
        const auto group = sharers(t, cache, cpu);
        text += fmt::format(" [{}]", format_cpu_list(group));
        cpu = group.back() + 1;
      }
      text += "\n";
    }
  }
  text += "\n";
  for (std::size_t n = 0; n < t.nodes.size(); ++n) {
    text +=
        fmt::format("NUMA node {}  CPUs {}, {}", n, t.nodes[n].cpus.empty() ? "none" : format_cpu_list(t.nodes[n].cpus),
                    format_bytes(t.nodes[n].memory));
    if (n < t.distances.size()) text += fmt::format(", distances {}", fmt::join(t.distances[n], " "));
    text += "\n";
  }
  text += "\nplacements\n";
  for (const Relation relation : all_relations) {
    const auto pair = find_pair(t, relation);
    text += fmt::format("  {:<14} {}\n", to_string(relation),
                        pair ? fmt::format("CPU {} and CPU {}", pair->first, pair->second) : "none on this machine");
  }
  if (t.timing) text += timing_lines(*t.timing);
  if (!t.notes.empty()) text += "\nwhat the emulation does not show\n";
  for (const auto& note : t.notes) text += "  - " + note + "\n";
  return text;
}

}  // namespace rig
