// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/host/hwloc_topology.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "rig/base/base.h"

namespace rig {
namespace {

std::vector<unsigned> members(hwloc_const_bitmap_t set) {
  std::vector<unsigned> found;
  if (set == nullptr) return found;
  if (hwloc_bitmap_weight(set) < 0)
    throw InputError("the host's description names CPUs without end: it is none that lstopo FILE.xml wrote");
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) {
    found.push_back(static_cast<unsigned>(i));
  }
  return found;
}

// On one line and of some length, whatever a file says.
std::string told(const char* text) {
  constexpr std::size_t longest = 200;
  std::string line = text;
  if (line.size() > longest) {
    line.resize(longest);
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80) line.pop_back();
    if (!line.empty() && static_cast<unsigned char>(line.back()) >= 0xc0) line.pop_back();
    line += "…";
  }
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

// No machine has more in a node, so far.
constexpr std::uint64_t most_memory = std::uint64_t{1} << 56;

// Calls visit for each object of the type, memory objects included.
template <class Visit>
void each(hwloc_topology_t topology, hwloc_obj_type_t type, const Visit& visit) {
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, type, o)) != nullptr;) visit(o);
}

void add_cpus(Host& host, hwloc_topology_t topology) {
  const auto allowed = hwloc_topology_get_allowed_cpuset(topology);
  std::map<unsigned, HostCpu> cpus;
  unsigned cores = static_cast<unsigned>(std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE)));
  each(topology, HWLOC_OBJ_PU, [&](hwloc_obj_t pu) {
    HostCpu cpu;
    cpu.os = pu->os_index;
    const auto core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    cpu.core = core != nullptr ? core->logical_index : cores++;  // where cores are not told, each CPU is one
    cpu.allowed = hwloc_bitmap_isset(allowed, pu->os_index) != 0;
    cpus[cpu.os] = cpu;
  });
  for (const unsigned os : members(hwloc_topology_get_complete_cpuset(topology))) {
    if (cpus.contains(os)) continue;
    HostCpu cpu;
    cpu.os = os;
    cpu.core = cores++;
    cpu.online = cpu.allowed = false;
    cpus[os] = cpu;
  }
  const int kinds = std::max(0, hwloc_cpukinds_get_nr(topology, 0));
  const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  for (int kind = 0; kind < kinds && set; ++kind) {
    int efficiency = -1;
    unsigned count = 0;
    struct hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), set.get(), &efficiency, &count, &infos, 0) !=
        0) {
      continue;
    }
    std::string name;
    for (unsigned i = 0; i < count; ++i) {
      if (std::strcmp(infos[i].name, "CoreType") == 0) name = told(infos[i].value);
    }
    for (const unsigned os : members(set.get())) {
      const auto found = cpus.find(os);
      if (found == cpus.end()) continue;
      found->second.kind = static_cast<unsigned>(kind);
      found->second.kind_name = name;
    }
  }
  for (const auto& [os, cpu] : cpus) host.cpus.push_back(cpu);
}

void add_groups(Host& host, hwloc_topology_t topology) {
  constexpr hwloc_obj_type_t levels[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                         HWLOC_OBJ_L5CACHE};
  for (const auto level : levels) {
    each(topology, level, [&](hwloc_obj_t o) {
      host.caches.push_back({static_cast<int>(o->attr->cache.depth), o->attr->cache.size, members(o->cpuset)});
    });
  }
  each(topology, HWLOC_OBJ_PACKAGE, [&](hwloc_obj_t o) { host.packages.push_back({o->os_index, members(o->cpuset)}); });
  each(topology, HWLOC_OBJ_DIE, [&](hwloc_obj_t o) { host.dies.push_back({o->os_index, members(o->cpuset)}); });
}

void add_nodes(Host& host, hwloc_topology_t topology) {
  const auto allowed = hwloc_topology_get_allowed_nodeset(topology);
  std::vector<unsigned> logical;  // of hwloc, in our order
  each(topology, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t o) {
    HostNode node;
    node.os = o->os_index;
    node.memory = o->attr->numanode.local_memory;
    if (*node.memory > most_memory) {
      node.memory.reset();
      host.notes.push_back("the memory of node " + std::to_string(node.os) + " is not understood");
    }
    node.cpus = members(o->cpuset);
    node.allowed = hwloc_bitmap_isset(allowed, o->os_index) != 0;
    host.nodes.push_back(node);
    logical.push_back(o->logical_index);
  });
  unsigned count = 1;
  struct hwloc_distances_s* found = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                  0) != 0 ||
      count == 0) {
    return;
  }
  const std::size_t n = host.nodes.size();
  if (found->nbobjs == n) {
    host.distances.assign(n, std::vector<unsigned>(n));
    for (unsigned i = 0; i < n; ++i) {
      for (unsigned j = 0; j < n; ++j) {
        host.distances[found->objs[i]->logical_index][found->objs[j]->logical_index] =
            static_cast<unsigned>(found->values[i * n + j]);
      }
    }
  }
  hwloc_distances_release(topology, found);
}

void sort_nodes(Host& host) {
  std::vector<std::size_t> order(host.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return host.nodes[a].os < host.nodes[b].os; });
  Host sorted = host;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.nodes[i] = host.nodes[order[i]];
    for (std::size_t j = 0; j < order.size() && !host.distances.empty(); ++j) {
      sorted.distances[i][j] = host.distances[order[i]][order[j]];
    }
  }
  host = std::move(sorted);
}

}  // namespace

HwlocTopology new_topology() {
  // it writes its reasons to standard error otherwise, beside rig's own; whoever wants them may set it
  static const int quiet = ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
  static_cast<void>(quiet);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw WorkError("hwloc could not be started: there is no memory left");
  HwlocTopology topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  return topology;
}

Host to_host(hwloc_topology_t topology) {
  Host host;
  add_cpus(host, topology);
  add_groups(host, topology);
  add_nodes(host, topology);
  sort_nodes(host);
  const hwloc_obj_t machine = hwloc_get_root_obj(topology);
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  for (const hwloc_obj_t object : {package, machine}) {
    const char* model = object != nullptr ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr;
    if (host.title.empty() && model != nullptr) host.title = told(model);
  }
  for (unsigned i = 0; i < machine->infos_count; ++i) {
    const std::string name = machine->infos[i].name;
    if (!name.starts_with(condition_prefix)) continue;
    const std::string condition = name.substr(std::strlen(condition_prefix));
    if (condition == "idle CPUs") continue;
    if (!set_condition(host.conditions, condition, told(machine->infos[i].value))) {
      host.notes.push_back("the capture's condition '" + told(condition.c_str()) + "' is not understood");
    }
  }
  if (host.packages.empty()) host.notes.push_back("packages are not told: all CPUs are taken as one package");
  if (host.caches.empty()) host.notes.push_back("caches are not told: what CPUs share below memory is not known");
  return host;
}

}  // namespace rig
