// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/mapping/search.h"

#include <algorithm>

namespace rig {
using namespace loss_kind;
namespace {

// Bounds of the work, by count and not by time, so that the same question has the same answer everywhere.
constexpr long tried_in_full = 200000;  // partial mappings of the full comparison,
constexpr long tried_of_many = 10000;   // and where more than a dozen CPUs are to be placed
constexpr long improvements = 40;       // rounds over all moves and exchanges
constexpr long pair_budget = 5000000;   // pairs of units looked at while improving

// What moves as one: the CPUs of a guest core, or a CPU.
struct Unit {
  std::size_t guest = 0;
  std::vector<std::size_t> cpus;
};

class Search {
 public:
  explicit Search(const SearchProblem& problem) : problem_(problem) {
    for (std::size_t g = 0; g < problem.guests.size(); ++g) {
      for (auto& cpus : cores_of(problem.guests[g])) units_.push_back({g, std::move(cpus)});
      levels_.push_back(has_levels(problem.guests[g]));
    }
    for (auto& cpus : cores_of(problem.host)) {
      std::stable_sort(cpus.begin(), cpus.end(),
                       [&](std::size_t a, std::size_t b) { return problem.cost[a] < problem.cost[b]; });
      slots_.push_back(std::move(cpus));
    }
    if (first().empty()) single_cpus();
    for (const auto& unit : units_) of_guest_.push_back(unit.guest);
  }

  SearchResult run(const std::vector<Places>& from) {
    std::vector<std::size_t> best = first();
    Loss least = loss(best);
    for (const auto& places : from) {
      auto slots = slots_of(places);
      if (slots.empty()) continue;
      const Loss its = loss(slots);
      if (its < least) {
        least = its;
        best = std::move(slots);
      }
    }
    improve(best, least);
    SearchResult result;
    result.all_compared = compare_all(best, least);
    result.places = places_of(best);
    return result;
  }

 private:
  static std::vector<std::vector<std::size_t>> cores_of(const RelationTable& table) {
    std::vector<std::vector<std::size_t>> cores;
    std::vector<bool> seen(table.size());
    for (std::size_t a = 0; a < table.size(); ++a) {
      if (seen[a]) continue;
      cores.emplace_back();
      for (std::size_t b = a; b < table.size(); ++b) {
        if (a != b && !table.at(a, b).core) continue;
        seen[b] = true;
        cores.back().push_back(b);
      }
    }
    return cores;
  }

  static bool has_levels(const RelationTable& guest) {
    int level = 0;
    for (std::size_t a = 0; a < guest.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const PairRelation& pair = guest.at(a, b);
        if (pair.core || pair.cache == 0) continue;
        if (level != 0 && level != pair.cache) return true;
        level = pair.cache;
      }
    }
    return false;
  }

  void single_cpus() {
    units_.clear();
    slots_.clear();
    for (std::size_t g = 0; g < problem_.guests.size(); ++g) {
      for (std::size_t cpu = 0; cpu < problem_.guests[g].size(); ++cpu) units_.push_back({g, {cpu}});
    }
    for (std::size_t cpu = 0; cpu < problem_.host.size(); ++cpu) slots_.push_back({cpu});
  }

  bool fits(std::size_t u, std::size_t slot) const { return units_[u].cpus.size() <= slots_[slot].size(); }

  // The cheapest slot for each in turn, those with most threads first; nothing where not all find one.
  std::vector<std::size_t> first() const {
    std::vector<std::size_t> order(units_.size()), found(units_.size());
    for (std::size_t u = 0; u < order.size(); ++u) order[u] = u;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return units_[a].cpus.size() > units_[b].cpus.size(); });
    std::vector<bool> taken(slots_.size());
    for (const std::size_t u : order) {
      std::size_t best = slots_.size();
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (taken[slot] || !fits(u, slot)) continue;
        if (best == slots_.size() || unit_cost(u, slot) < unit_cost(u, best)) best = slot;
      }
      if (best == slots_.size()) return {};
      taken[best] = true;
      found[u] = best;
    }
    return found;
  }

  std::vector<std::size_t> slots_of(const Places& places) const {
    std::vector<std::size_t> slots, owner(problem_.host.size(), slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      for (const std::size_t place : slots_[s]) owner[place] = s;
    }
    for (std::size_t u = 0; u < units_.size(); ++u) {
      const std::size_t slot = owner[places[units_[u].guest][units_[u].cpus.front()]];
      if (!fits(u, slot) || std::find(slots.begin(), slots.end(), slot) != slots.end()) return {};
      slots.push_back(slot);
    }
    return slots;
  }

  Places places_of(const std::vector<std::size_t>& slots) const {
    Places places;
    for (const auto& guest : problem_.guests) places.emplace_back(guest.size());
    for (std::size_t u = 0; u < units_.size(); ++u) {
      for (std::size_t t = 0; t < units_[u].cpus.size(); ++t) {
        places[units_[u].guest][units_[u].cpus[t]] = slots_[slots[u]][t];
      }
    }
    return places;
  }

  Loss loss(const std::vector<std::size_t>& slots) const { return loss_of(problem_, places_of(slots)); }

  // Two guests on one host core: both lose by it.
  long between_guests(std::size_t slot, std::size_t other) const {
    long lost = 0;
    for (const std::size_t a : slots_[slot]) {
      for (const std::size_t b : slots_[other]) lost += a == b || problem_.host.at(a, b).core ? 2 : 0;
    }
    return lost;
  }

  // Between two units, and of one within itself, nearness left out.
  void add(Loss& sum, std::size_t u, std::size_t slot_u, std::size_t w, std::size_t slot_w) const {
    if (of_guest_[u] != of_guest_[w]) {
      sum[Core] += between_guests(slot_u, slot_w);
      return;
    }
    const RelationTable& guest = problem_.guests[of_guest_[u]];
    for (std::size_t i = 0; i < units_[u].cpus.size(); ++i) {
      for (std::size_t j = 0; j < units_[w].cpus.size(); ++j) {
        if (u == w && i >= j) continue;
        const std::size_t a = slots_[slot_u][i], b = slots_[slot_w][j];
        add_pair(sum, guest.at(units_[u].cpus[i], units_[w].cpus[j]), problem_.host.at(a, b), a == b,
                 problem_.caches_known);
      }
    }
  }

  long unit_cost(std::size_t u, std::size_t slot) const {
    long sum = 0;
    for (std::size_t i = 0; i < units_[u].cpus.size(); ++i) sum += problem_.cost[slots_[slot][i]];
    return sum;
  }

  Loss around(const std::vector<std::size_t>& slots, std::size_t u) {
    Loss sum{};
    for (std::size_t w = 0; w < units_.size(); ++w) add(sum, u, slots[u], w, slots[w]);
    sum[Cost] += unit_cost(u, slots[u]);
    looked_at_ += static_cast<long>(units_.size());
    return sum;
  }

  // Whether this change lessens the loss; then it is kept.
  bool keep_if_less(std::vector<std::size_t>& slots, Loss& least, const std::vector<std::size_t>& changed,
                    const std::vector<std::size_t>& to) {
    Loss before{}, after{};
    const auto sum = [&](Loss& total) {
      for (const std::size_t u : changed) {
        const Loss part = around(slots, u);
        for (std::size_t k = 0; k < part.size(); ++k) total[k] += part[k];
      }
    };
    sum(before);
    std::vector<std::size_t> old;
    for (std::size_t i = 0; i < changed.size(); ++i) {
      old.push_back(slots[changed[i]]);
      slots[changed[i]] = to[i];
    }
    sum(after);
    bool better = after < before;
    const bool levels = std::any_of(levels_.begin(), levels_.end(), [](bool b) { return b; });
    if (levels && after[Core] <= before[Core] && after[SharedCache] <= before[SharedCache]) {
      looked_at_ += static_cast<long>(2 * units_.size() * units_.size());
      better = loss(slots) < least;
    }
    if (better) {
      least = loss(slots);
      return true;
    }
    for (std::size_t i = 0; i < changed.size(); ++i) slots[changed[i]] = old[i];
    return false;
  }

  void improve(std::vector<std::size_t>& slots, Loss& least) {
    std::vector<bool> taken(slots_.size());
    for (const std::size_t slot : slots) taken[slot] = true;
    for (long round = 0; round < improvements; ++round) {
      bool changed = false;
      for (std::size_t u = 0; u < units_.size() && looked_at_ < pair_budget; ++u) {
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
          if (taken[slot] || !fits(u, slot)) continue;
          const std::size_t old = slots[u];
          if (!keep_if_less(slots, least, {u}, {slot})) continue;
          taken[old] = false;
          taken[slot] = true;
          changed = true;
        }
        for (std::size_t w = u + 1; w < units_.size(); ++w) {
          if (!fits(u, slots[w]) || !fits(w, slots[u])) continue;
          changed |= keep_if_less(slots, least, {u, w}, {slots[w], slots[u]});
        }
      }
      if (!changed || looked_at_ >= pair_budget) return;
    }
  }

  // Slots that may be exchanged without a change of any relation: the lowest free one stands for all.
  void find_twins() {
    twin_of_.resize(slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      twin_of_[s] = s;
      for (std::size_t other = 0; other < s; ++other) {
        if (twin_of_[other] == other && are_twins(other, s)) {
          twin_of_[s] = other;
          break;
        }
      }
    }
  }

  bool are_twins(std::size_t s, std::size_t other) const {
    if (slots_[s].size() != slots_[other].size()) return false;
    for (std::size_t i = 0; i < slots_[s].size(); ++i) {
      if (problem_.cost[slots_[s][i]] != problem_.cost[slots_[other][i]]) return false;
    }
    for (std::size_t third = 0; third < slots_.size(); ++third) {
      if (third == s || third == other) continue;
      const std::size_t place = slots_[third].front();
      if (problem_.host.at(slots_[s].front(), place) != problem_.host.at(slots_[other].front(), place)) return false;
    }
    return true;
  }

  bool compare_all(std::vector<std::size_t>& best, Loss& least) {
    find_twins();
    std::vector<std::size_t> slots(units_.size());
    std::vector<bool> taken(slots_.size());
    tried_ = 0;
    least[Memory] = problem_.memory(places_of(best));
    return descend(0, Loss{}, slots, taken, best, least);
  }

  bool descend(std::size_t u, const Loss& so_far, std::vector<std::size_t>& slots, std::vector<bool>& taken,
               std::vector<std::size_t>& best, Loss& least) {
    if (u == units_.size()) {
      Loss its = loss(slots);
      if (!(its < least)) return true;
      its[Memory] = problem_.memory(places_of(slots));
      if (its < least) {
        least = its;
        best = slots;
      }
      return true;
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (taken[slot] || !fits(u, slot)) continue;
      bool earlier_twin = false;
      for (std::size_t other = 0; other < slot && !earlier_twin; ++other) {
        earlier_twin = !taken[other] && twin_of_[other] == twin_of_[slot];
      }
      if (earlier_twin) continue;
      if (++tried_ > (units_.size() > 12 ? tried_of_many : tried_in_full)) return false;
      Loss sum = so_far;
      slots[u] = slot;
      for (std::size_t w = 0; w <= u; ++w) add(sum, u, slot, w, slots[w]);
      sum[Cost] += unit_cost(u, slot);
      if (!(sum < least)) continue;  // more can only be lost
      taken[slot] = true;
      const bool whole = descend(u + 1, sum, slots, taken, best, least);
      taken[slot] = false;
      if (!whole) return false;
    }
    return true;
  }

  const SearchProblem& problem_;
  std::vector<Unit> units_;
  std::vector<std::size_t> of_guest_;
  std::vector<std::vector<std::size_t>> slots_;
  std::vector<bool> levels_;  // of each guest: whether CPUs share caches of different levels
  std::vector<std::size_t> twin_of_;
  long looked_at_ = 0, tried_ = 0;
};

}  // namespace

SearchResult search(const SearchProblem& problem, const std::vector<Places>& from) { return Search(problem).run(from); }

}  // namespace rig
