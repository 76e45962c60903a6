// SPDX-License-Identifier: GPL-2.0-or-later
// Mappings that lose something: the least loss, by comparing all where there are few, else by improving one.
#pragma once
#include <array>
#include <vector>

#include "rig/mapping/relations.h"

namespace rig {

// Lost pairs by kind in the order of weight (core, cache, nearness, node, package), then the CPUs' cost.
using Loss = std::array<long, 6>;

struct SearchProblem {
  bool caches_known = true;
  std::vector<RelationTable> guests;
  RelationTable host{0};  // of the host CPUs that may be taken
  std::vector<int> cost;  // of taking each of them
};

// For each guest the place in problem.host of each of its CPUs.
using Places = std::vector<std::vector<std::size_t>>;

Loss loss_of(const SearchProblem& problem, const Places& places);

struct SearchResult {
  Places places;
  bool all_compared = false;  // no mapping loses less
};

// Guest cores onto distinct host cores where those suffice, guest CPUs onto distinct host CPUs else, of which there
// must be enough. from: mappings to begin with; the least of all is the result, the earlier of equals.
SearchResult search(const SearchProblem& problem, const std::vector<Places>& from);

}  // namespace rig
