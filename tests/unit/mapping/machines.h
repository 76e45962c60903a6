// SPDX-License-Identifier: GPL-2.0-or-later
// Guests to be mapped.
#pragma once
#include "rig/config/config.h"
#include "rig/topology/topology.h"

namespace rig::test {

inline Topology topology(const std::string& name) {
  return load_topology(std::string(RIG_SOURCE_DIR) + "/topologies/" + name + ".yaml");
}

// A data cache of this level, one for so many cores.
inline Cache cache(int level, int shared_by) {
  Cache c;
  c.level = level;
  c.type = level == 1 ? CacheType::Data : CacheType::Unified;
  c.size = 1u << 20;
  c.ways = 16;
  c.shared_by = shared_by;
  return c;
}

// One node of 64 MiB with all CPUs, unless nodes are set afterwards.
inline Topology machine(int sockets, int cores, int threads, std::vector<Cache> caches = {}) {
  Topology t;
  t.name = "made";
  t.sockets = sockets;
  t.cores = cores;
  t.threads = threads;
  t.caches = std::move(caches);
  NumaNode node;
  for (int cpu = 0; cpu < cpu_count(t); ++cpu) node.cpus.push_back(cpu);
  node.memory = 64u << 20;
  t.nodes = {node};
  return t;
}

}  // namespace rig::test
