// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <limits>

#include "rig/mapping/search.h"

namespace rig {
using namespace loss_kind;
namespace {

long nearness_losses(const RelationTable& guest, const RelationTable& host, const std::vector<std::size_t>& places) {
  constexpr std::size_t levels = 5, far = std::numeric_limits<std::size_t>::max();
  const std::size_t n = guest.size();
  // the nearest that a CPU has on the host with any that it shares a farther cache with in the guest
  std::vector<std::array<std::size_t, levels>> nearest(n);
  for (std::size_t a = 0; a < n; ++a) {
    nearest[a].fill(far);
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b || places[a] == places[b] || guest.at(a, b).core) continue;
      const PairRelation& carried = host.at(places[a], places[b]);
      if (carried.cache == 0) continue;
      for (int level = 0; level < guest.at(a, b).cache; ++level) {
        auto& least = nearest[a][static_cast<std::size_t>(level)];
        least = std::min(least, carried.reach);
      }
    }
  }
  long lost = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const PairRelation& asked = guest.at(a, b);
      if (asked.core || asked.cache == 0 || places[a] == places[b]) continue;
      const PairRelation& carried = host.at(places[a], places[b]);
      if (carried.cache == 0) continue;
      const auto level = static_cast<std::size_t>(asked.cache);
      if (nearest[a][level] <= carried.reach || nearest[b][level] <= carried.reach) ++lost;
    }
  }
  return lost;
}

}  // namespace

long how_near(int level) { return level == 0 ? 0 : 10 - level; }

void add_pair(Loss& loss, const PairRelation& guest, const PairRelation& host, bool same_cpu, bool caches_known) {
  if (same_cpu) {
    ++loss[Core];
    return;
  }
  if (guest.core != host.core) {
    ++loss[Core];
  } else if (!guest.core && (!caches_known || (guest.cache == 0) != (host.cache == 0))) {
    ++loss[SharedCache];
    loss[NearCache] += how_near(guest.cache);
  }
  if (guest.node != host.node) ++loss[Node];
  if (guest.package != host.package) ++loss[Package];
}

Loss loss_of(const SearchProblem& problem, const Places& places) {
  Loss sum{};
  for (std::size_t g = 0; g < problem.guests.size(); ++g) {
    const RelationTable& guest = problem.guests[g];
    for (std::size_t a = 0; a < guest.size(); ++a) {
      for (std::size_t b = a + 1; b < guest.size(); ++b) {
        const std::size_t at = places[g][a], other = places[g][b];
        add_pair(sum, guest.at(a, b), problem.host.at(at, other), at == other, problem.caches_known);
      }
      sum[Cost] += problem.cost[places[g][a]];
    }
    if (problem.caches_known) sum[Nearness] += nearness_losses(guest, problem.host, places[g]);
    for (std::size_t h = 0; h < g; ++h) {
      for (const std::size_t a : places[g]) {
        for (const std::size_t b : places[h]) sum[Core] += a == b || problem.host.at(a, b).core ? 2 : 0;
      }
    }
  }
  return sum;
}

}  // namespace rig
