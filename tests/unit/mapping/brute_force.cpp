// SPDX-License-Identifier: GPL-2.0-or-later
#include "brute_force.h"

#include <algorithm>

namespace rig::test {
namespace {

bool has(const std::vector<unsigned>& list, unsigned x) { return std::find(list.begin(), list.end(), x) != list.end(); }

bool proper_subset(const std::set<unsigned>& inner, const std::set<unsigned>& outer) {
  return inner.size() < outer.size() && std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

}  // namespace

BruteForce::BruteForce(const Host& host, std::vector<const Topology*> guests)
    : host_(host), guests_(std::move(guests)), guest_pairs_(guests_.size()) {
  for (const auto& cpu : host.cpus) {
    if (cpu.online && cpu.allowed) usable_.push_back(cpu.os);
  }
  for (const unsigned a : usable_) {
    for (const unsigned b : usable_) {
      if (a != b) host_pairs_[{a, b}] = on_host(a, b);
    }
  }
  for (std::size_t g = 0; g < guests_.size(); ++g) {
    const int cpus = guests_[g]->sockets * guests_[g]->dies * guests_[g]->cores * guests_[g]->threads;
    for (int a = 0; a < cpus; ++a) {
      vcpus_.push_back({g, a});
      for (int b = 0; b < cpus; ++b) {
        if (a != b) guest_pairs_[g][{a, b}] = in_guest(*guests_[g], a, b);
      }
    }
  }
}

std::set<unsigned> BruteForce::home(unsigned cpu) const {
  std::set<unsigned> found;
  std::size_t size = 0;
  for (unsigned n = 0; n < host_.nodes.size(); ++n) {
    const auto& cpus = host_.nodes[n].cpus;
    if (!has(cpus, cpu)) continue;
    if (found.empty() || cpus.size() < size) found = {n};
    if (cpus.size() == size) found.insert(n);
    size = found.size() == 1 ? cpus.size() : size;
  }
  return found;
}

BruteForce::Shared BruteForce::on_host(unsigned a, unsigned b) const {
  Shared shared{};
  unsigned core_a = 0, core_b = 1;
  for (const auto& cpu : host_.cpus) {
    if (cpu.os == a) core_a = cpu.core;
    if (cpu.os == b) core_b = cpu.core;
  }
  shared.core = core_a == core_b;
  int package_a = -1, package_b = -1;
  for (std::size_t p = 0; p < host_.packages.size(); ++p) {
    if (has(host_.packages[p].cpus, a)) package_a = static_cast<int>(p);
    if (has(host_.packages[p].cpus, b)) package_b = static_cast<int>(p);
  }
  shared.package = package_a == package_b;
  shared.node = !home(a).empty() && home(a) == home(b);
  for (const auto& cache : host_.caches) {
    if (!has(cache.cpus, a) || !has(cache.cpus, b)) continue;
    const std::set<unsigned> cpus(cache.cpus.begin(), cache.cpus.end());
    if (shared.cache.empty() || cpus.size() < shared.cache.size()) shared.cache = cpus;
  }
  return shared;
}

BruteForce::Shared BruteForce::in_guest(const Topology& guest, int a, int b) const {
  Shared shared{};
  const int core_a = a / guest.threads, core_b = b / guest.threads, per_socket = guest.dies * guest.cores;
  shared.core = core_a == core_b;
  shared.package = core_a / per_socket == core_b / per_socket;
  for (const auto& node : guest.nodes) {
    const bool with_a = std::find(node.cpus.begin(), node.cpus.end(), a) != node.cpus.end();
    const bool with_b = std::find(node.cpus.begin(), node.cpus.end(), b) != node.cpus.end();
    shared.node = shared.node || (with_a && with_b);
  }
  // the set of a guest cache stands for its level: {level}, {level, 99} … grow with it
  for (int level = 3; level >= 1; --level) {
    for (const auto& cache : guest.caches) {
      if (cache.level != level || cache.type == CacheType::Instruction || !shared.package) continue;
      if (core_a % per_socket / cache.shared_by != core_b % per_socket / cache.shared_by) continue;
      shared.cache.clear();
      for (unsigned i = 0; i < static_cast<unsigned>(level); ++i) shared.cache.insert(i);
    }
  }
  return shared;
}

bool BruteForce::agree(const Vcpu& a, unsigned on_a, const Vcpu& b, unsigned on_b) const {
  const Shared& host = host_pairs_.at({on_a, on_b});
  if (a.guest != b.guest) return !host.core;
  const Shared& guest = guest_pairs_[a.guest].at({a.cpu, b.cpu});
  if (guest.core != host.core || guest.package != host.package || guest.node != host.node) return false;
  if (guest.core) return true;
  return !host_.caches.empty() && guest.cache.empty() == host.cache.empty();
}

bool BruteForce::nearness_holds(const Assignment& cpus) const {
  for (std::size_t g = 0; g < guests_.size(); ++g) {
    const int n = static_cast<int>(cpus[g].size());
    const auto of = [&](int i) { return cpus[g][static_cast<std::size_t>(i)]; };
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        for (int c = 0; c < n; ++c) {
          if (a == b || a == c || b == c) continue;
          const auto &near = guest_pairs_[g].at({a, b}), &far = guest_pairs_[g].at({a, c});
          if (near.core || far.core || near.cache.empty() || !proper_subset(near.cache, far.cache)) continue;
          if (!proper_subset(host_pairs_.at({of(a), of(b)}).cache, host_pairs_.at({of(a), of(c)}).cache)) return false;
        }
      }
    }
  }
  return true;
}

bool BruteForce::place_memory(const Assignment& cpus, NodeAssignment& nodes, std::size_t next) const {
  std::size_t g = 0, n = next;
  while (g < guests_.size() && n >= guests_[g]->nodes.size()) n -= guests_[g++]->nodes.size();
  if (g == guests_.size()) {
    std::map<unsigned, std::uint64_t> sum;
    for (std::size_t i = 0; i < guests_.size(); ++i) {
      if (memory_losses(*guests_[i], cpus[i], nodes[i]) != 0) return false;
      for (std::size_t k = 0; k < nodes[i].size(); ++k) sum[*nodes[i][k]] += guests_[i]->nodes[k].memory;
    }
    for (const auto& node : host_.nodes) {
      if (node.memory && sum.contains(node.os) && sum.at(node.os) > *node.memory) return false;
    }
    return true;
  }
  for (const auto& node : host_.nodes) {
    nodes[g][n] = node.os;
    if (place_memory(cpus, nodes, next + 1)) return true;
  }
  return false;
}

bool BruteForce::memory_exists(const Assignment& cpus) const {
  NodeAssignment nodes;
  for (const Topology* guest : guests_) nodes.emplace_back(guest->nodes.size());
  return place_memory(cpus, nodes, 0);
}

std::optional<bool> BruteForce::descend(std::size_t next, Assignment& cpus, std::set<unsigned>& taken) {
  if (next == vcpus_.size()) return nearness_holds(cpus) && memory_exists(cpus);
  const Vcpu& vcpu = vcpus_[next];
  for (const unsigned os : usable_) {
    if (taken.contains(os)) continue;
    if (++tried_ > limit_) return std::nullopt;
    bool fits = true;
    for (std::size_t before = 0; before < next && fits; ++before) {
      const Vcpu& other = vcpus_[before];
      fits = agree(vcpu, os, other, cpus[other.guest][static_cast<std::size_t>(other.cpu)]);
    }
    if (!fits) continue;
    cpus[vcpu.guest][static_cast<std::size_t>(vcpu.cpu)] = os;
    taken.insert(os);
    const auto found = descend(next + 1, cpus, taken);
    taken.erase(os);
    if (!found || *found) return found;
  }
  return false;
}

std::optional<bool> BruteForce::exact_exists(long limit) {
  if (vcpus_.size() > usable_.size()) return false;
  limit_ = limit;
  tried_ = 0;
  Assignment cpus;
  for (const auto& pairs : guest_pairs_) {
    int most = 0;
    for (const auto& [pair, shared] : pairs) most = std::max(most, pair.first);
    cpus.emplace_back(static_cast<std::size_t>(most) + 1);
  }
  std::set<unsigned> taken;
  return descend(0, cpus, taken);
}

std::size_t BruteForce::memory_losses(const Topology& guest, const std::vector<unsigned>& cpus,
                                      const std::vector<std::optional<unsigned>>& nodes) const {
  std::size_t lost = 0;
  for (std::size_t n = 0; n < guest.nodes.size(); ++n) {
    bool good = false;
    for (unsigned i = 0; i < host_.nodes.size() && nodes[n]; ++i) {
      const HostNode& node = host_.nodes[i];
      if (node.os != *nodes[n]) continue;
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < guest.nodes.size(); ++k) sum += nodes[k] == nodes[n] ? guest.nodes[k].memory : 0;
      good = node.allowed && (!node.memory || *node.memory >= sum);
      for (std::size_t k = 0; k < n; ++k) good = good && nodes[k] != nodes[n];
      for (const int cpu : guest.nodes[n].cpus) {
        good = good && home(cpus[static_cast<std::size_t>(cpu)]).contains(i);
      }
    }
    if (!good) ++lost;
  }
  return lost;
}

Losses BruteForce::losses(const Assignment& cpus, const NodeAssignment& nodes) const {
  Losses lost{};
  for (std::size_t g = 0; g < guests_.size(); ++g) {
    const auto of = [&](int i) { return cpus[g][static_cast<std::size_t>(i)]; };
    const int n = static_cast<int>(cpus[g].size());
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (of(a) == of(b)) {
          ++lost[0];
          continue;
        }
        const Shared &guest = guest_pairs_[g].at({a, b}), &host = host_pairs_.at({of(a), of(b)});
        if (guest.core != host.core) {
          ++lost[0];
        } else if (!guest.core) {
          if (host_.caches.empty() || guest.cache.empty() != host.cache.empty()) {
            ++lost[1];
            lost[2] += guest.cache.empty() ? 0 : 10 - guest.cache.size();
          } else if (!guest.cache.empty()) {
            // not nearer than some CPU with which one of the two shares a farther cache
            bool near = true;
            for (int c = 0; c < n; ++c) {
              for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
                if (c == a || c == b || of(c) == of(one)) continue;
                const Shared& far = guest_pairs_[g].at({one, c});
                if (far.core || !proper_subset(guest.cache, far.cache)) continue;
                const Shared& carried = host_pairs_.at({of(one), of(c)});
                near = near && (carried.cache.empty() || proper_subset(host.cache, carried.cache));
              }
            }
            if (!near) ++lost[3];
          }
        }
        if (guest.node != host.node) ++lost[4];
        if (guest.package != host.package) ++lost[6];
      }
    }
    for (std::size_t other = 0; other < guests_.size(); ++other) {
      for (const unsigned mine : cpus[g]) {
        for (const unsigned its : cpus[other]) {
          if (other != g && (mine == its || host_pairs_.at({mine, its}).core)) ++lost[0];
        }
      }
    }
    lost[5] += memory_losses(*guests_[g], cpus[g], nodes[g]);
  }
  return lost;
}

Losses BruteForce::least_losses() {
  Losses least;
  least.fill(1000000);
  Assignment cpus;
  NodeAssignment nodes;
  for (const Topology* guest : guests_) {
    cpus.emplace_back(static_cast<std::size_t>(guest->sockets * guest->dies * guest->cores * guest->threads));
    nodes.emplace_back(guest->nodes.size());
  }
  std::set<unsigned> taken;
  // memory: every assignment of nodes, also of none
  const auto with_memory = [&](auto&& self, std::size_t g, std::size_t n) -> void {
    if (g == guests_.size()) {
      least = std::min(least, losses(cpus, nodes));
      return;
    }
    if (n == guests_[g]->nodes.size()) return self(self, g + 1, 0);
    nodes[g][n].reset();
    self(self, g, n + 1);
    for (const auto& node : host_.nodes) {
      nodes[g][n] = node.os;
      self(self, g, n + 1);
    }
  };
  const auto with_cpus = [&](auto&& self, std::size_t next) -> void {
    if (next == vcpus_.size()) return with_memory(with_memory, 0, 0);
    for (const unsigned os : usable_) {
      if (taken.contains(os)) continue;
      taken.insert(os);
      cpus[vcpus_[next].guest][static_cast<std::size_t>(vcpus_[next].cpu)] = os;
      self(self, next + 1);
      taken.erase(os);
    }
  };
  with_cpus(with_cpus, 0);
  return least;
}

}  // namespace rig::test
