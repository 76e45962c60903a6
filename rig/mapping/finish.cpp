// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/mapping/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "rig/base/units.h"
#include "rig/mapping/relations.h"

namespace rig {
namespace {

std::string list(const std::vector<unsigned>& cpus) { return format_cpu_list({cpus.begin(), cpus.end()}); }

// One guest node that seeks its memory: host nodes (indices) from the most wanted on.
struct Want {
  std::size_t guest = 0, node = 0;
  std::uint64_t bytes = 0;
  std::vector<std::size_t> local;  // near to all of its CPUs; of a node without CPUs all
};

Want want_of(const Host& host, const Topology& guest, const Mapping& mapping, std::size_t g, std::size_t n) {
  Want want{g, n, guest.nodes[n].memory, {}};
  const auto& cpus = guest.nodes[n].cpus;
  for (std::size_t i = 0; i < host.nodes.size(); ++i) {
    const bool near = std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
      const auto nodes = nearest_nodes(host, mapping.cpu_of_vcpu[static_cast<std::size_t>(cpu)]);
      return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
    });
    if (near && host.nodes[i].allowed) want.local.push_back(i);
  }
  if (cpus.empty()) {  // a node without CPUs is at home where the host has none either
    std::stable_partition(want.local.begin(), want.local.end(),
                          [&](std::size_t i) { return host.nodes[i].cpus.empty(); });
  }
  return want;
}

class Memory {
 public:
  Memory(const Host& host, std::vector<Want> wants) : host_(host), wants_(std::move(wants)) {
    used_.resize(host.nodes.size());
    at_.assign(wants_.size(), std::nullopt);
  }

  // All near their CPUs and apart; where that cannot be, none has a place after it.
  bool all_local(std::size_t next = 0) {
    if (next == wants_.size()) return true;
    if (++tried_ > 100000) return false;  // what was put is taken back on the way up
    for (const std::size_t node : wants_[next].local) {
      if (!fits(next, node) || shared_with_own(next, node)) continue;
      put(next, node);
      if (all_local(next + 1)) return true;
      take(next);
    }
    return false;
  }

  // With the fewest nodes lost, where the ways to lay them are few; false where they are not.
  bool least_lost() {
    double ways = 1;
    for (std::size_t w = 0; w < wants_.size(); ++w) ways *= static_cast<double>(host_.nodes.size());
    if (ways > 5000) return false;
    std::size_t least = wants_.size() + 1;
    std::vector<std::optional<std::size_t>> best;
    lay(0, 0, least, best);
    for (std::size_t w = 0; w < best.size(); ++w) {
      if (best[w]) put(w, *best[w]);
    }
    return true;
  }

  // One by one: near and apart, else near, else apart, else anywhere that holds it.
  void one_by_one() {
    for (std::size_t w = 0; w < wants_.size(); ++w) {
      std::vector<std::size_t> everywhere;
      for (std::size_t i = 0; i < host_.nodes.size(); ++i) {
        if (host_.nodes[i].allowed) everywhere.push_back(i);
      }
      for (const bool apart : {true, false}) {
        for (const auto* nodes : {&wants_[w].local, &everywhere}) {
          for (const std::size_t node : *nodes) {
            if (!at_[w] && fits(w, node) && !(apart && shared_with_own(w, node))) put(w, node);
          }
        }
      }
    }
  }

  std::optional<unsigned> node_of(std::size_t want) const {
    if (!at_[want]) return std::nullopt;
    return host_.nodes[*at_[want]].os;
  }

 private:
  void lay(std::size_t next, std::size_t lost, std::size_t& least, std::vector<std::optional<std::size_t>>& best) {
    if (lost >= least) return;
    if (next == wants_.size()) {
      least = lost;
      best = at_;
      return;
    }
    const auto& local = wants_[next].local;
    std::vector<std::size_t> nodes = local;
    for (std::size_t i = 0; i < host_.nodes.size(); ++i) {
      if (host_.nodes[i].allowed && std::find(local.begin(), local.end(), i) == local.end()) nodes.push_back(i);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!fits(next, nodes[i])) continue;
      const bool good = i < local.size() && !shared_with_own(next, nodes[i]);
      put(next, nodes[i]);
      lay(next + 1, lost + (good ? 0 : 1), least, best);
      take(next);
    }
    lay(next + 1, lost + 1, least, best);
  }

  bool fits(std::size_t want, std::size_t node) const {
    const auto& memory = host_.nodes[node].memory;
    return !memory || *memory >= used_[node] + wants_[want].bytes;
  }
  bool shared_with_own(std::size_t want, std::size_t node) const {
    for (std::size_t w = 0; w < wants_.size(); ++w) {
      if (w != want && wants_[w].guest == wants_[want].guest && at_[w] == node) return true;
    }
    return false;
  }
  void put(std::size_t want, std::size_t node) {
    at_[want] = node;
    used_[node] += wants_[want].bytes;
  }
  void take(std::size_t want) {
    used_[*at_[want]] -= wants_[want].bytes;
    at_[want].reset();
  }

  const Host& host_;
  std::vector<Want> wants_;
  std::vector<std::uint64_t> used_;
  std::vector<std::optional<std::size_t>> at_;
  long tried_ = 0;
};

}  // namespace

void assign_memory(const Host& host, const std::vector<const Topology*>& guests, std::vector<Mapping>& mappings) {
  std::vector<Want> wants;
  for (std::size_t g = 0; g < guests.size(); ++g) {
    for (std::size_t n = 0; n < guests[g]->nodes.size(); ++n) {
      wants.push_back(want_of(host, *guests[g], mappings[g], g, n));
    }
  }
  // those with fewest places first
  std::stable_sort(wants.begin(), wants.end(),
                   [](const Want& a, const Want& b) { return a.local.size() < b.local.size(); });
  Memory memory(host, wants);
  if (!memory.all_local() && !memory.least_lost()) memory.one_by_one();
  for (std::size_t g = 0; g < guests.size(); ++g) mappings[g].node_of_guest_node.assign(guests[g]->nodes.size(), {});
  for (std::size_t w = 0; w < wants.size(); ++w) {
    mappings[wants[w].guest].node_of_guest_node[wants[w].node] = memory.node_of(w);
  }
}

void assign_emulators(const Host& host, std::vector<Mapping>& mappings) {
  std::set<unsigned> used_cpus, used_cores, emulator_cores;
  for (const auto& mapping : mappings) {
    for (const unsigned os : mapping.cpu_of_vcpu) {
      used_cpus.insert(os);
      used_cores.insert(find_cpu(host, os)->core);
    }
  }
  const auto usable = usable_cpus(host);
  for (auto& mapping : mappings) {
    const unsigned first = mapping.cpu_of_vcpu.front();
    std::vector<unsigned> all = usable;
    all.push_back(first);
    const RelationTable table = pair_relations(host, all);
    using Rank = std::tuple<bool, bool, bool, bool, bool, bool, bool, unsigned>;
    std::optional<std::pair<Rank, const HostCpu*>> best;
    for (std::size_t i = 0; i < usable.size(); ++i) {
      const HostCpu& cpu = *find_cpu(host, usable[i]);
      const PairRelation& near = table.at(i, usable.size());
      const Rank rank{used_cpus.contains(cpu.os),
                      used_cores.contains(cpu.core),
                      emulator_cores.contains(cpu.core),
                      cpu.isolated,  // the kernel's scheduler does not move threads between isolated CPUs
                      cpu.idle == false,
                      !near.node,
                      !near.package,
                      cpu.os};
      if (!best || rank < best->first) best = {rank, &cpu};
    }
    const HostCpu& chosen = *best->second;
    if (used_cpus.contains(chosen.os)) {
      mapping.emulator = mapping.cpu_of_vcpu;
      std::sort(mapping.emulator.begin(), mapping.emulator.end());
      mapping.emulator.erase(std::unique(mapping.emulator.begin(), mapping.emulator.end()), mapping.emulator.end());
      mapping.notes.push_back("no host CPU is left for QEMU's other threads: they share those of the guest");
      continue;
    }
    for (const unsigned os : usable) {
      const HostCpu& cpu = *find_cpu(host, os);
      if (cpu.core == chosen.core && cpu.isolated == chosen.isolated && !used_cpus.contains(os)) {
        mapping.emulator.push_back(os);
      }
    }
    if (used_cores.contains(chosen.core)) {
      mapping.notes.push_back(
          "QEMU's other threads have only an SMT sibling of a guest's CPU: no core is left for them");
    }
    emulator_cores.insert(chosen.core);
  }
}

std::vector<std::string> notes_of(const Host& host, const Topology& guest, const Mapping& mapping) {
  std::vector<std::string> notes;
  std::vector<unsigned> cpus = mapping.cpu_of_vcpu;
  const RelationTable asked = pair_relations(guest), given = pair_relations(host, cpus);
  std::set<std::pair<int, int>> levels;
  for (std::size_t a = 0; a < asked.size(); ++a) {
    for (std::size_t b = a + 1; b < asked.size(); ++b) {
      const PairRelation &one = asked.at(a, b), &other = given.at(a, b);
      if (!one.core && !other.core && one.cache != 0 && other.cache != 0 && one.cache != other.cache) {
        levels.emplace(one.cache, other.cache);
      }
    }
  }
  for (const auto& [one, other] : levels) {
    notes.push_back(fmt::format("the guest's common L{} is an L{} of the host", one, other));
  }
  std::map<unsigned, std::vector<unsigned>> kinds;
  std::vector<unsigned> idle_siblings;
  const std::set<unsigned> taken(cpus.begin(), cpus.end());
  std::set<unsigned> cores;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const HostCpu& cpu = *find_cpu(host, cpus[i]);
    kinds[cpu.kind].push_back(static_cast<unsigned>(i));
    cores.insert(cpu.core);
  }
  for (const unsigned os : usable_cpus(host)) {
    if (cores.contains(find_cpu(host, os)->core) && !taken.contains(os)) idle_siblings.push_back(os);
  }
  if (kinds.size() > 1) {
    std::string text = "guest CPUs lie on cores of different kinds:";
    for (const auto& [kind, guests] : kinds) text += fmt::format(" {} on kind {}", list(guests), kind);
    notes.push_back(text);
  }
  if (!idle_siblings.empty()) {
    notes.push_back(
        fmt::format("nothing else may run on the other SMT siblings of its cores, host CPUs {}", list(idle_siblings)));
  }
  std::vector<std::size_t> index;
  for (const auto& os : mapping.node_of_guest_node) {
    for (std::size_t i = 0; os && i < host.nodes.size(); ++i) {
      if (host.nodes[i].os == *os) index.push_back(i);
    }
  }
  if (index.size() == guest.nodes.size() && !host.distances.empty()) {
    for (std::size_t a = 0; a < guest.distances.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const unsigned host_distance = host.distances[index[b]][index[a]];
        if (static_cast<unsigned>(guest.distances[b][a]) == host_distance) continue;
        notes.push_back(fmt::format("NUMA distance from node {} to {}: {} in the guest, {} on the host", b, a,
                                    guest.distances[b][a], host_distance));
      }
    }
  }
  return notes;
}

}  // namespace rig
