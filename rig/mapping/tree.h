// SPDX-License-Identifier: GPL-2.0-or-later
// A machine as nested sets of CPUs: packages, NUMA nodes, caches, cores, CPUs. What two CPUs share is told by the
// smallest set that holds both.
#pragma once
#include <vector>

#include "rig/host/host.h"
#include "rig/topology/topology.h"

namespace rig {

// Relations that are left out of account when no mapping carries all of them.
struct Relaxed {
  bool package = false, node = false, memory = false, nearness = false, cache = false;
  bool together = false;  // what shares no cache in the guest may share one on the host
  bool operator==(const Relaxed&) const = default;
};

struct TreeVertex {
  std::vector<std::size_t> members;  // CPUs by their place, sorted
  int parent = -1;
  std::vector<int> children;
  // Of two CPUs below different children: whether they are of one node, package, core, and share a cache.
  bool node = false, package = false, cache = false, core = false;
  int level = 0;          // of the nearest cache around this set, 0: none
  bool is_cache = false;  // this set is that of a cache
  int node_set = -1;      // of a host: this set is that of a NUMA node; of a guest see there
  unsigned cores = 0;     // below
  bool same_kind(const TreeVertex& other) const {
    return node == other.node && package == other.package && cache == other.cache && core == other.core;
  }
};

// CPUs by their place, 0 … n-1; the root is vertex 0. Not nested where the sets cross each other: then no tree.
struct Tree {
  std::vector<TreeVertex> vertices;
  bool nested = true;
};

// node_set: where all members are of one node, the first node with as much memory; -1 where memory does not count.
Tree tree_of(const Topology& guest, const Relaxed& relaxed);

// Of these host CPUs (os indices, in the order of their places). node_set is an index into nodes: the host nodes
// (indices into host.nodes) local to that set.
struct HostTree : Tree {
  std::vector<std::vector<std::size_t>> nodes;
};
HostTree tree_of(const Host& host, const std::vector<unsigned>& cpus, const Relaxed& relaxed);

}  // namespace rig
