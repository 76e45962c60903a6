// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/mapping/relations.h"

#include <algorithm>
#include <map>

namespace rig {
namespace {

// Shares of a cache are told from the nearest level on, so that the first that two CPUs have stays.
void share(RelationTable& table, const std::vector<std::size_t>& members, int level) {
  for (const std::size_t a : members) {
    for (const std::size_t b : members) {
      PairRelation& pair = table.at(a, b);
      if (a == b || (pair.cache != 0 && pair.reach <= members.size())) continue;
      pair.cache = level;
      pair.reach = members.size();
    }
  }
}

}  // namespace

RelationTable pair_relations(const Topology& guest) {
  const int cpus = cpu_count(guest);
  RelationTable table(static_cast<std::size_t>(cpus));
  std::vector<int> node(static_cast<std::size_t>(cpus), -1);
  for (std::size_t n = 0; n < guest.nodes.size(); ++n) {
    for (const int cpu : guest.nodes[n].cpus) node[static_cast<std::size_t>(cpu)] = static_cast<int>(n);
  }
  std::vector<CpuLocation> where;
  for (int cpu = 0; cpu < cpus; ++cpu) where.push_back(locate(guest, cpu));
  for (std::size_t a = 0; a < table.size(); ++a) {
    for (std::size_t b = 0; b < table.size(); ++b) {
      if (a == b) continue;
      PairRelation& pair = table.at(a, b);
      pair.core = where[a].core == where[b].core;
      pair.package = where[a].socket == where[b].socket;
      pair.node = node[a] == node[b];
    }
  }
  for (int level = 1; level <= 3; ++level) {
    const Cache* cache = data_cache(guest, level);
    for (int cpu = 0; cache != nullptr && cpu < cpus;) {
      std::vector<std::size_t> members;
      for (const int member : sharers(guest, *cache, cpu)) members.push_back(static_cast<std::size_t>(member));
      share(table, members, level);
      cpu = static_cast<int>(members.back()) + 1;
    }
  }
  return table;
}

std::vector<std::size_t> nearest_nodes(const Host& host, unsigned cpu) {
  std::vector<std::size_t> found;
  std::size_t fewest = 0;
  for (std::size_t n = 0; n < host.nodes.size(); ++n) {
    const auto& cpus = host.nodes[n].cpus;
    if (!std::binary_search(cpus.begin(), cpus.end(), cpu)) continue;
    if (found.empty() || cpus.size() < fewest) {
      found.clear();
      fewest = cpus.size();
    }
    if (cpus.size() == fewest) found.push_back(n);
  }
  return found;
}

RelationTable pair_relations(const Host& host, const std::vector<unsigned>& cpus) {
  RelationTable table(cpus.size());
  std::map<unsigned, std::size_t> place;
  for (std::size_t i = 0; i < cpus.size(); ++i) place[cpus[i]] = i;
  const auto members_of = [&](const std::vector<unsigned>& all) {
    std::vector<std::size_t> members;
    for (const unsigned os : all) {
      const auto found = place.find(os);
      if (found != place.end()) members.push_back(found->second);
    }
    return members;
  };
  std::vector<std::size_t> node, package(cpus.size(), host.packages.size());
  std::vector<unsigned> core;
  for (const unsigned os : cpus) {
    const auto nodes = nearest_nodes(host, os);
    node.push_back(nodes.empty() ? host.nodes.size() + node.size()
                                 : nodes.front());  // in no node: in none with another
    core.push_back(find_cpu(host, os)->core);
  }
  for (std::size_t p = 0; p < host.packages.size(); ++p) {
    for (const std::size_t member : members_of(host.packages[p].cpus)) package[member] = p;
  }
  for (std::size_t a = 0; a < cpus.size(); ++a) {
    for (std::size_t b = 0; b < cpus.size(); ++b) {
      if (a == b) continue;
      PairRelation& pair = table.at(a, b);
      pair.core = core[a] == core[b];
      pair.package = package[a] == package[b];
      pair.node = node[a] == node[b];
    }
  }
  for (const auto& cache : host.caches) share(table, members_of(cache.cpus), cache.level);
  return table;
}

bool nearness_lost(const RelationTable& guest, const RelationTable& host, const std::vector<std::size_t>& host_cpu,
                   std::size_t a, std::size_t b) {
  const PairRelation& near = guest.at(a, b);
  if (near.core || near.cache == 0 || host_cpu[a] == host_cpu[b]) return false;
  const PairRelation& carried = host.at(host_cpu[a], host_cpu[b]);
  if (carried.cache == 0) return false;  // lost already
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    for (std::size_t c = 0; c < guest.size(); ++c) {
      if (c == one || c == other || host_cpu[c] == host_cpu[one]) continue;
      const PairRelation& far = guest.at(one, c);
      if (far.core || far.cache <= near.cache) continue;
      const PairRelation& farther = host.at(host_cpu[one], host_cpu[c]);
      if (farther.cache != 0 && farther.reach <= carried.reach) return true;
    }
  }
  return false;
}

}  // namespace rig
