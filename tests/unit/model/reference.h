// SPDX-License-Identifier: GPL-2.0-or-later
// The machine's rules written down a second time, as plainly as can be: maps, searches and lists, no
// predictions, no packed words. Slow, and meant to be read beside machine.h's words alone.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "rig/model/counters.h"
#include "rig/model/machine.h"

namespace rig::model::test {

class Reference {
 public:
  explicit Reference(const MachineSpec& spec) : spec_(spec), counters_(spec.cpus) {}

  Cycles access(unsigned cpu, std::uint64_t address, unsigned size, AccessKind kind, Cycles now) {
    Counters& c = counters_[cpu];
    if (kind == AccessKind::Load) ++c.loads;
    if (kind == AccessKind::Store) ++c.stores;
    if (kind == AccessKind::Locked) ++c.locked;
    Cycles cost = one_line(cpu, address / spec_.line, kind, now);
    if ((address + size - 1) / spec_.line != address / spec_.line) {
      cost += one_line(cpu, address / spec_.line + 1, kind, now + cost);
      cost += spec_.split;
      ++c.splits;
      c.split_cycles += spec_.split;
    }
    if (kind == AccessKind::Locked) {
      cost += spec_.locked;
      c.locked_cycles += spec_.locked;
    }
    return cost;
  }

  void dma(std::uint64_t address, bool writes, Cycles now) {
    const Line line = address / spec_.line;
    ++(writes ? dma_.writes : dma_.reads);
    std::set<unsigned> owners;
    for (const Place& copy : copies_of(line)) {
      if (std::get<0>(copy) == levels() && states_.at(copy) == State::Modified) owners.insert(package_of(copy));
      if (!writes || spec_.dma_updates) {
        states_[copy] = State::Shared;
        continue;
      }
      if (std::get<0>(copy) == 1) ++dma_.invalidated;
      drop(copy);
    }
    dma_.written_back += owners.size();
    Cycles waited = 0;
    for (unsigned package = 0; package < spec_.cpus / spec_.cpus_per_package; ++package) {
      const Cycles length = owners.contains(package) ? spec_.bus_line : spec_.bus_request;
      waited = std::max(waited, wait(buses_[package], now, length));
    }
    wait(memories_[node_of(line)], now + waited, spec_.memory_line);
  }
  const DmaCounters& dma_counters() const { return dma_; }

  State state(unsigned level, unsigned cpu, std::uint64_t address) const {
    const auto found = states_.find(at(level, cpu, address / spec_.line));
    return found == states_.end() ? State::Invalid : found->second;
  }
  const Counters& counters(unsigned cpu) const { return counters_[cpu]; }

 private:
  using Place = std::tuple<unsigned, unsigned, Line>;  // level from 1, instance, line

  unsigned levels() const { return static_cast<unsigned>(spec_.levels.size()); }
  const LevelSpec& level(unsigned number) const { return spec_.levels[number - 1]; }
  Place at(unsigned number, unsigned cpu, Line line) const { return {number, cpu / level(number).cpus, line}; }
  unsigned first_cpu(const Place& place) const { return std::get<1>(place) * level(std::get<0>(place)).cpus; }
  unsigned package_of(const Place& place) const { return first_cpu(place) / spec_.cpus_per_package; }
  // Whether a cache lies inside another one (or is it).
  bool inside(const Place& inner, const Place& outer) const {
    return std::get<0>(inner) <= std::get<0>(outer) &&
           first_cpu(inner) / level(std::get<0>(outer)).cpus == std::get<1>(outer);
  }

  std::vector<Place> copies_of(Line line) const {
    std::vector<Place> found;
    for (const auto& [place, state] : states_) {
      if (std::get<2>(place) == line) found.push_back(place);
    }
    return found;
  }
  bool on_path(const Place& place, unsigned cpu) const {
    return place == at(std::get<0>(place), cpu, std::get<2>(place));
  }

  void used(const Place& place) {
    auto& order = order_[{std::get<0>(place), std::get<1>(place)}];
    order.erase(std::remove(order.begin(), order.end(), std::get<2>(place)), order.end());
    order.push_back(std::get<2>(place));
  }
  void drop(const Place& place) {
    states_.erase(place);
    auto& order = order_[{std::get<0>(place), std::get<1>(place)}];
    order.erase(std::remove(order.begin(), order.end(), std::get<2>(place)), order.end());
  }

  // The first start from `now` on at which so many cycles in a row are free.
  Cycles wait(std::set<Cycles>& taken, Cycles now, Cycles length) {
    if (length == 0) return 0;
    Cycles start = now;
    for (Cycles cycle = start; cycle < start + length; ++cycle) {
      if (taken.contains(cycle)) start = cycle + 1;
    }
    for (Cycles cycle = start; cycle < start + length; ++cycle) taken.insert(cycle);
    return start - now;
  }

  static Cycles part(Cycles cycles, unsigned percent) { return (cycles * percent + 50) / 100; }

  std::size_t node_of(Line line) const {
    std::uint64_t ram = line * spec_.line;
    if (spec_.low_memory > 0 && ram >= (1ull << 32)) ram -= (1ull << 32) - spec_.low_memory;
    std::uint64_t end = 0;
    for (std::size_t node = 0; node < spec_.nodes.size(); ++node) {
      end += spec_.nodes[node].memory;
      if (ram < end) return node;
    }
    return spec_.nodes.size() - 1;
  }

  // Copies of the line that are lost, but for those on the CPU's own path; level-1 ones are counted.
  void invalidate_others(unsigned cpu, Line line) {
    for (const Place& place : copies_of(line)) {
      if (on_path(place, cpu)) continue;
      if (std::get<0>(place) == 1) ++counters_[cpu].invalidated;
      drop(place);
    }
  }

  void make_room(unsigned cpu, const Place& place, Cycles now) {
    const auto [number, instance, line] = place;
    std::vector<Line> in_set;  // least recently used first
    for (const Line other : order_[{number, instance}]) {
      if (other % level(number).sets == line % level(number).sets) in_set.push_back(other);
    }
    if (in_set.size() < level(number).ways) return;
    const Place victim{number, instance, in_set.front()};
    const bool modified = states_.at(victim) == State::Modified;
    for (const Place& copy : copies_of(in_set.front())) {
      if (!inside(copy, victim)) continue;
      if (copy != victim && std::get<0>(copy) == 1) ++counters_[cpu].back_invalidations;
      drop(copy);
    }
    if (number == levels() && modified) {
      ++counters_[cpu].writebacks;
      const Cycles waited = wait(buses_[cpu / spec_.cpus_per_package], now, spec_.bus_line);
      wait(memories_[node_of(in_set.front())], now + waited, spec_.memory_line);
    }
  }

  Cycles one_line(unsigned cpu, Line line, AccessKind kind, Cycles now) {
    Counters& c = counters_[cpu];
    const bool writes = kind != AccessKind::Load;
    Cycles cost = 0;
    const auto pay = [&](Tally& tally, Cycles cycles, unsigned load_part) {
      const unsigned percent = kind == AccessKind::Locked  ? 100
                               : kind == AccessKind::Store ? spec_.exposed_store
                                                           : load_part;
      ++tally.count;
      tally.cycles += part(cycles, percent);
      cost += part(cycles, percent);
    };
    const auto served = [&](Source source) -> Tally& { return c.served[static_cast<std::size_t>(source)]; };
    const Cycles base = level(1).latency;
    const unsigned package = cpu / spec_.cpus_per_package;
    const auto copies = copies_of(line);

    unsigned hit = 0;  // the innermost level that has it
    for (unsigned number = levels(); number >= 1; --number) {
      if (states_.contains(at(number, cpu, line))) hit = number;
    }
    State got = State::Exclusive;
    bool needs_ownership = false;
    if (hit > 0) {
      const Place here = at(hit, cpu, line);
      used(here);
      if (states_.at(here) == State::Shared) got = State::Shared;
      needs_ownership = writes && got == State::Shared;
      bool elsewhere_inside = false, modified_inside = false;
      for (const Place& copy : copies) {
        if (!inside(copy, here) || std::get<0>(copy) + 1 != hit) continue;
        elsewhere_inside = true;
        modified_inside = modified_inside || states_.at(copy) == State::Modified;
      }
      if (hit == 1) {
        ++served(Source::Level1).count;
      } else if (modified_inside) {
        pay(served(hit == 2 ? Source::TransferLevel2 : Source::TransferLevel3), level(hit).transfer - base,
            spec_.exposed_transfer);
      } else {
        pay(served(hit == 2 ? Source::Level2 : Source::Level3), level(hit).latency - base, spec_.exposed_hit);
      }
      if (elsewhere_inside) {
        got = State::Shared;
        if (!writes) {
          for (const Place& copy : copies) {
            if (inside(copy, here) && copy != here) states_[copy] = State::Shared;
          }
        }
      }
      if (needs_ownership) {
        // the innermost level around that owns the line, or all the machine
        unsigned owner = 0;
        for (unsigned number = levels(); number > hit; --number) {
          if (states_.at(at(number, cpu, line)) != State::Shared) owner = number;
        }
        if (owner > 0) {
          pay(c.upgrades[owner == 2 ? 0 : 1], level(owner).upgrade, 0);
        } else {
          std::set<unsigned> packages;
          for (const Place& copy : copies) {
            if (package_of(copy) != package) packages.insert(package_of(copy));
          }
          const bool far = !packages.empty() || level(levels()).cpus == spec_.cpus_per_package;
          const Cycles own = wait(buses_[package], now, spec_.bus_request);
          Cycles beyond = 0;
          for (const unsigned other : packages) {
            beyond = std::max(beyond, wait(buses_[other], now + own, spec_.bus_request));
          }
          pay(c.upgrades[far ? 3 : 2], far ? spec_.other_package.upgrade : spec_.package.upgrade, 0);
          if (own + beyond > 0) pay(c.queueing, own + beyond, 0);
        }
      }
    } else {
      // outermost caches of others: any with it, the one that passes it on
      bool any = false, modified = false;
      std::set<unsigned> packages;
      const Place* from = nullptr;
      for (const Place& copy : copies) {
        if (std::get<0>(copy) != levels()) continue;
        any = true;
        if (package_of(copy) != package) packages.insert(package_of(copy));
        if (states_.at(copy) == State::Modified) {
          modified = true;
          from = &copy;
        }
      }
      if (!modified && any) {
        for (const Place& copy : copies) {
          if (std::get<0>(copy) != levels()) continue;
          if (from == nullptr || (package_of(copy) == package && package_of(*from) != package)) from = &copy;
        }
      }
      const bool passed = modified || (any && spec_.passes_clean);
      const Cycles own = wait(buses_[package], now, spec_.bus_line);
      Cycles beyond = 0;
      for (const unsigned other : packages) {
        const Cycles length = passed && other == package_of(*from) ? spec_.bus_line : spec_.bus_request;
        beyond = std::max(beyond, wait(buses_[other], now + own, length));
      }
      Cycles waited = own + beyond;
      if (passed) {
        const bool far = package_of(*from) != package;
        pay(served(far ? Source::TransferOtherPackage : Source::TransferPackage),
            (far ? spec_.other_package : spec_.package).transfer - base, spec_.exposed_transfer);
        if (waited > 0) pay(c.queueing, waited, spec_.exposed_transfer);
      } else {
        const std::size_t node = node_of(line), mine = spec_.node_of_cpu[cpu];
        waited += wait(memories_[node], now + waited, spec_.memory_line);
        pay(served(node == mine ? Source::Memory : Source::RemoteMemory), spec_.memory[mine][node] - base,
            spec_.exposed_memory);
        if (waited > 0) pay(c.queueing, waited, spec_.exposed_memory);
      }
      if (any) got = State::Shared;
      if (!writes) {
        for (const Place& copy : copies) states_[copy] = State::Shared;
      }
      hit = levels() + 1;
    }
    if (writes) invalidate_others(cpu, line);
    for (unsigned number = hit - 1; number >= 1; --number) {
      const Place place = at(number, cpu, line);
      make_room(cpu, place, now);
      states_[place] = got;
      used(place);
    }
    if (writes) {
      for (unsigned number = 1; number <= levels(); ++number) states_[at(number, cpu, line)] = State::Modified;
    }
    return cost;
  }

  MachineSpec spec_;
  std::map<Place, State> states_;                                     // valid copies only
  std::map<std::pair<unsigned, unsigned>, std::vector<Line>> order_;  // of a cache, least recently used first
  std::map<unsigned, std::set<Cycles>> buses_;
  std::map<std::size_t, std::set<Cycles>> memories_;
  std::vector<Counters> counters_;
  DmaCounters dma_;
};

}  // namespace rig::model::test
