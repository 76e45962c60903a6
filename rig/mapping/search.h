// SPDX-License-Identifier: GPL-2.0-or-later
// Mappings that lose something: the least loss, by comparing all where there are few, else by improving one.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "rig/mapping/relations.h"

namespace rig {

// For each guest the place in the problem's host of each of its CPUs.
using Places = std::vector<std::vector<std::size_t>>;

// Lost pairs by kind in the order of LostKind, of memory lost nodes; behind those of caches how near the lost ones
// are; last the CPUs' cost.
using Loss = std::array<long, 8>;
namespace loss_kind {
enum Kind : std::size_t { Core, SharedCache, NearCache, Nearness, Node, Memory, Package, Cost };
}

struct SearchProblem {
  bool caches_known = true;
  std::vector<RelationTable> guests;
  RelationTable host{0};                      // of the host CPUs that may be taken
  std::vector<int> cost;                      // of taking each of them
  std::function<long(const Places&)> memory;  // guest nodes whose memory does not lie as asked
};

// What a lost common cache of this level weighs among lost ones.
long how_near(int level);

// What one pair of a guest's CPUs loses on its host CPUs, but for nearness.
void add_pair(Loss& loss, const PairRelation& guest, const PairRelation& host, bool same_cpu, bool caches_known);

// Without memory.
Loss loss_of(const SearchProblem& problem, const Places& places);

struct SearchResult {
  Places places;
  bool all_compared = false;  // no mapping loses less
};

// Guest cores onto distinct host cores where those suffice, guest CPUs onto distinct host CPUs else, of which there
// must be enough. from: mappings to begin with; the least of all is the result, the earlier of equals.
SearchResult search(const SearchProblem& problem, const std::vector<Places>& from);

}  // namespace rig
