// SPDX-License-Identifier: GPL-2.0-or-later
// What two CPUs share, of a guest and of a host, in the same words.
#pragma once
#include <cstddef>
#include <vector>

#include "rig/host/host.h"
#include "rig/topology/topology.h"

namespace rig {

// Of two different CPUs.
struct PairRelation {
  bool core = false;      // SMT siblings
  bool package = false;   // of one
  bool node = false;      // local to one NUMA node
  int cache = 0;          // level of the nearest common cache, 0: none
  std::size_t reach = 0;  // how many CPUs share that cache: of two caches of one CPU the nearer has fewer
  bool operator==(const PairRelation&) const = default;
};

// All pairs of CPUs 0 … size-1 of a machine; those of a guest by their number, those of a host by their place
// among the usable ones.
class RelationTable {
 public:
  explicit RelationTable(std::size_t size) : size_(size), pairs_(size * size) {}
  std::size_t size() const { return size_; }
  PairRelation& at(std::size_t a, std::size_t b) { return pairs_[a * size_ + b]; }
  const PairRelation& at(std::size_t a, std::size_t b) const { return pairs_[a * size_ + b]; }

 private:
  std::size_t size_;
  std::vector<PairRelation> pairs_;
};

RelationTable pair_relations(const Topology& guest);
// Of these host CPUs (os indices), in this order.
RelationTable pair_relations(const Host& host, const std::vector<unsigned>& cpus);

// Indices into host.nodes of the nodes nearest to a CPU (os index): those with the fewest CPUs that hold it.
std::vector<std::size_t> nearest_nodes(const Host& host, unsigned cpu);

// Pairs of which a common cache is nearer in the guest than another's, and not so on the host: for each CPU a and
// pair (a, b), whether some (a, c) shares a farther cache in the guest and one as near on the host.
// host_cpu: the place in the host's table of each guest CPU.
bool nearness_lost(const RelationTable& guest, const RelationTable& host, const std::vector<std::size_t>& host_cpu,
                   std::size_t a, std::size_t b);

}  // namespace rig
