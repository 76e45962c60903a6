// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/mapping/tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "rig/mapping/relations.h"

namespace rig {
namespace {

using Members = std::vector<std::size_t>;

struct Marked {
  Members members;
  bool node = false, package = false, core = false;
  int level = 0;  // of a cache
  int node_set = -1;
};

bool contains(const Members& outer, const Members& inner) {
  return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

bool meet(const Members& a, const Members& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

// Marks of equal sets are one vertex; the nearest of caches with one set counts.
std::vector<Marked> merged(std::vector<Marked> sets) {
  std::map<Members, Marked> by_members;
  for (auto& set : sets) {
    if (set.members.empty()) continue;
    Marked& mark = by_members[set.members];
    mark.members = set.members;
    mark.node |= set.node;
    mark.package |= set.package;
    mark.core |= set.core;
    if (set.level != 0 && (mark.level == 0 || set.level < mark.level)) mark.level = set.level;
    if (set.node_set >= 0) mark.node_set = set.node_set;
  }
  std::vector<Marked> all;
  for (auto& [members, mark] : by_members) all.push_back(std::move(mark));
  std::stable_sort(all.begin(), all.end(), [](const Marked& a, const Marked& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size() : a.members < b.members;
  });
  return all;
}

// The vertex that holds the set nearest; -1 where it crosses another.
int parent_of(const std::vector<TreeVertex>& vertices, const Members& members) {
  int at = 0;
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const int child : vertices[static_cast<std::size_t>(at)].children) {
      const Members& other = vertices[static_cast<std::size_t>(child)].members;
      if (!meet(other, members)) continue;
      if (!contains(other, members)) return -1;
      at = child;
      deeper = true;
      break;
    }
  }
  return at;
}

Tree build(std::size_t size, std::vector<Marked> sets, const Relaxed& relaxed) {
  Members all(size);
  std::iota(all.begin(), all.end(), std::size_t{0});
  sets.push_back({all});
  for (std::size_t i = 0; i < size; ++i) sets.push_back({{i}});
  Tree tree;
  for (const auto& set : merged(std::move(sets))) {
    TreeVertex vertex;
    vertex.members = set.members;
    if (!tree.vertices.empty()) {
      vertex.parent = parent_of(tree.vertices, set.members);
      if (vertex.parent < 0) {
        tree.nested = false;
        return tree;
      }
    }
    const TreeVertex above = vertex.parent < 0 ? TreeVertex{} : tree.vertices[static_cast<std::size_t>(vertex.parent)];
    vertex.node = relaxed.node || above.node || set.node;
    vertex.package = relaxed.package || above.package || set.package;
    vertex.core = above.core || set.core;
    vertex.cache = relaxed.cache || above.cache || set.level != 0 || vertex.core;
    vertex.level = set.level != 0 ? set.level : above.level;
    vertex.is_cache = set.level != 0;
    vertex.node_set = set.node_set;
    const int index = static_cast<int>(tree.vertices.size());
    if (vertex.parent >= 0) tree.vertices[static_cast<std::size_t>(vertex.parent)].children.push_back(index);
    tree.vertices.push_back(std::move(vertex));
  }
  for (std::size_t v = tree.vertices.size(); v-- > 0;) {
    TreeVertex& vertex = tree.vertices[v];
    std::stable_sort(vertex.children.begin(), vertex.children.end(), [&](int a, int b) {
      return tree.vertices[static_cast<std::size_t>(a)].members.front() <
             tree.vertices[static_cast<std::size_t>(b)].members.front();
    });
    for (const int child : vertex.children) vertex.cores += tree.vertices[static_cast<std::size_t>(child)].cores;
    if (vertex.children.empty() || vertex.core) vertex.cores = 1;
  }
  return tree;
}

void add(std::vector<Marked>& sets, std::map<std::size_t, Members> groups, void (*mark)(Marked&)) {
  for (auto& [key, members] : groups) {
    Marked set{std::move(members)};
    mark(set);
    sets.push_back(std::move(set));
  }
}

}  // namespace

Tree tree_of(const Topology& guest, const Relaxed& relaxed) {
  const int cpus = cpu_count(guest);
  std::vector<Marked> sets;
  std::map<std::size_t, Members> cores, packages, nodes;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    const auto where = locate(guest, cpu);
    const auto place = static_cast<std::size_t>(cpu);
    cores[static_cast<std::size_t>(where.core)].push_back(place);
    packages[static_cast<std::size_t>(where.socket)].push_back(place);
    nodes[static_cast<std::size_t>(where.node)].push_back(place);
  }
  if (!relaxed.cache) {
    int outermost = 0;
    for (int level = 1; level <= 3; ++level) outermost = data_cache(guest, level) != nullptr ? level : outermost;
    // where nearness does not count, the outermost stands for all
    for (int level = relaxed.nearness ? std::max(1, outermost) : 1; level <= 3; ++level) {
      const Cache* cache = data_cache(guest, level);
      for (int cpu = 0; cache != nullptr && cpu < cpus;) {
        Members members;
        for (const int member : sharers(guest, *cache, cpu)) members.push_back(static_cast<std::size_t>(member));
        cpu = static_cast<int>(members.back()) + 1;
        Marked set{std::move(members)};
        set.level = level;
        sets.push_back(std::move(set));
      }
    }
    if (relaxed.together) add(sets, packages, [](Marked& set) { set.level = 9; });
  }
  add(sets, cores, [](Marked& set) { set.core = true; });
  if (!relaxed.package) add(sets, packages, [](Marked& set) { set.package = true; });
  if (!relaxed.node) add(sets, nodes, [](Marked& set) { set.node = true; });
  Tree tree = build(static_cast<std::size_t>(cpus), std::move(sets), relaxed);
  for (auto& vertex : tree.vertices) {
    const int node = locate(guest, static_cast<int>(vertex.members.front())).node;
    bool one = !relaxed.memory;
    for (const std::size_t member : vertex.members) one = one && locate(guest, static_cast<int>(member)).node == node;
    if (!one) continue;
    for (int n = 0; n <= node && vertex.node_set < 0; ++n) {
      const auto memory = [&](int i) { return guest.nodes[static_cast<std::size_t>(i)].memory; };
      if (memory(n) == memory(node)) vertex.node_set = n;
    }
  }
  return tree;
}

HostTree tree_of(const Host& host, const std::vector<unsigned>& cpus, const Relaxed& relaxed) {
  std::map<unsigned, std::size_t> place;
  for (std::size_t i = 0; i < cpus.size(); ++i) place[cpus[i]] = i;
  const auto members_of = [&](const std::vector<unsigned>& all) {
    Members members;
    for (const unsigned os : all) {
      if (const auto found = place.find(os); found != place.end()) members.push_back(found->second);
    }
    std::sort(members.begin(), members.end());
    return members;
  };
  HostTree tree;
  std::vector<Marked> sets;
  std::map<std::size_t, Members> cores, packages;
  std::map<std::vector<std::size_t>, Members> nodes;
  Members homeless = members_of(cpus);
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    cores[find_cpu(host, cpus[i])->core].push_back(i);
    const auto near = nearest_nodes(host, cpus[i]);
    if (!near.empty()) nodes[near].push_back(i);
  }
  for (std::size_t p = 0; p < host.packages.size(); ++p) {
    packages[p] = members_of(host.packages[p].cpus);
    Members rest;
    std::set_difference(homeless.begin(), homeless.end(), packages[p].begin(), packages[p].end(),
                        std::back_inserter(rest));
    homeless = std::move(rest);
  }
  packages[host.packages.size()] = homeless;
  if (!relaxed.cache) {
    for (const auto& cache : host.caches) {
      Marked set{members_of(cache.cpus)};
      set.level = cache.level;
      sets.push_back(std::move(set));
    }
  }
  add(sets, cores, [](Marked& set) { set.core = true; });
  if (!relaxed.package) add(sets, packages, [](Marked& set) { set.package = true; });
  if (!relaxed.node) {
    for (const auto& [near, members] : nodes) {
      Marked set{members};
      set.node = true;
      set.node_set = static_cast<int>(tree.nodes.size());
      sets.push_back(std::move(set));
      tree.nodes.push_back(near);
    }
  }
  static_cast<Tree&>(tree) = build(cpus.size(), std::move(sets), relaxed);
  return tree;
}

}  // namespace rig
