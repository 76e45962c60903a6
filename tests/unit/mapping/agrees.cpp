// SPDX-License-Identifier: GPL-2.0-or-later
// The solver against an exhaustive search that shares no code with it, over machines made at random.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "brute_force.h"
#include "machines.h"
#include "rig/mapping/mapping.h"

using namespace rig;
using namespace rig::test;

namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  int from(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  bool chance(int percent) { return from(1, 100) <= percent; }

 private:
  std::mt19937 random_;
};

// Levels in hwloc's order, with NUMA nodes at any of the outer ones, and no more CPUs than most.
Host random_host(Dice& dice, int most) {
  for (;;) {
    std::string text;
    int cpus = 1;
    const auto level = [&](const std::string& name, int count) {
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, count);
      cpus *= count;
    };
    const int numa = dice.from(0, 3);
    if (numa == 1) level("numa", dice.from(1, 2));
    if (dice.chance(85)) level("package", dice.from(1, 3));
    if (numa == 2) level("numa", dice.from(1, 3));
    if (dice.chance(60)) level("l3", dice.from(1, 3));
    if (numa == 3) level("numa", dice.from(1, 2));
    if (dice.chance(60)) level("l2", dice.from(1, 3));
    if (dice.chance(20)) level("l1", dice.from(1, 2));
    level("core", dice.from(1, 4));
    level("pu", dice.chance(40) ? 2 : 1);
    if (cpus > most) continue;
    Host host = survey_synthetic(text);
    for (auto& cpu : host.cpus) cpu.allowed = !dice.chance(10);
    for (auto& cpu : host.cpus) cpu.isolated = dice.chance(10);
    for (auto& node : host.nodes) {
      if (dice.chance(30)) node.memory = static_cast<std::uint64_t>(dice.from(0, 3)) << 26;
    }
    if (dice.chance(20)) host.nodes.push_back({100, std::uint64_t{128} << 20, {}, true});
    if (usable_cpus(host).empty()) continue;
    return host;
  }
}

Topology random_guest(Dice& dice, int most) {
  for (;;) {
    Topology t = machine(dice.from(1, 3), dice.from(1, 4), dice.chance(30) ? 2 : 1);
    const int cpus = cpu_count(t);
    if (cpus > most) continue;
    int shared = 1;
    for (int level = dice.from(1, 2); level <= 3; ++level) {
      if (dice.chance(40)) continue;
      std::vector<int> divisors;
      for (int n = shared; n <= t.cores; ++n) {
        if (t.cores % n == 0 && (n % shared == 0 || dice.chance(5))) divisors.push_back(n);
      }
      if (divisors.empty()) continue;
      shared = divisors[static_cast<std::size_t>(dice.from(0, static_cast<int>(divisors.size()) - 1))];
      t.caches.push_back(cache(level, shared));
    }
    const int shape = dice.from(0, 3);
    if (shape == 1 || shape == 2) {  // a node for each socket, or for equal parts of the CPUs
      const int nodes = shape == 1 ? t.sockets : dice.from(1, 2);
      if (cpus % nodes != 0) continue;
      t.nodes.assign(static_cast<std::size_t>(nodes), {{}, std::uint64_t{64} << 20});
      for (int cpu = 0; cpu < cpus; ++cpu) t.nodes[static_cast<std::size_t>(cpu / (cpus / nodes))].cpus.push_back(cpu);
    } else if (shape == 3 && dice.chance(50)) {  // nodes that cross everything
      t.nodes.assign(2, {{}, std::uint64_t{64} << 20});
      for (int cpu = 0; cpu < cpus; ++cpu) t.nodes[static_cast<std::size_t>(cpu % 2)].cpus.push_back(cpu);
    }
    if (dice.chance(10)) t.nodes.push_back({{}, std::uint64_t{64} << 20});
    return t;
  }
}

std::string describe(const Host& host, const std::vector<Topology>& guests) {
  std::string text = draw(host);
  for (const auto& guest : guests) {
    text += fmt::format("guest of {} sockets, {} cores, {} threads, nodes", guest.sockets, guest.cores, guest.threads);
    for (const auto& node : guest.nodes) text += fmt::format(" [{}]", format_cpu_list(node.cpus));
    for (const auto& c : guest.caches) text += fmt::format(", L{} by {}", c.level, c.shared_by);
    text += "\n";
  }
  return text;
}

Losses claimed(const std::vector<Mapping>& mappings) {
  Losses sum{};
  for (const auto& mapping : mappings) {
    for (const auto& lost : mapping.lost) {
      const std::size_t pairs = lost.pairs.size() + lost.with_other.size();
      switch (lost.kind) {
        case LostKind::Core:
          sum[0] += pairs;
          break;
        case LostKind::Cache:
          sum[1] += pairs;
          sum[2] += lost.cache == 0 ? 0 : pairs * (10 - static_cast<std::size_t>(lost.cache));
          break;
        case LostKind::Nearness:
          sum[3] += pairs;
          break;
        case LostKind::Node:
          sum[4] += pairs;
          break;
        case LostKind::Memory:
          ++sum[5];
          break;
        case LostKind::Package:
          sum[6] += pairs;
          break;
      }
    }
  }
  return sum;
}

struct Tally {
  int exact = 0, partial = 0, undecided = 0;
};

// One case; gives whether it was exact.
void compare(const Host& host, const std::vector<Topology>& guests, Tally& tally) {
  MappingRequest request;
  for (const auto& guest : guests) request.guests.push_back(&guest);
  const auto mappings = map_guests(host, request);
  INFO(describe(host, guests));
  BruteForce judge(host, request.guests);
  Assignment cpus;
  NodeAssignment nodes;
  bool exact = true;
  for (std::size_t g = 0; g < guests.size(); ++g) {
    INFO(draw(mappings[g], guests[g], host));
    cpus.push_back(mappings[g].cpu_of_vcpu);
    nodes.push_back(mappings[g].node_of_guest_node);
    exact = exact && mappings[g].exact && !mappings[g].overcommitted;
    CHECK(mappings[g].exact == mappings[g].lost.empty());
    for (const unsigned os : mappings[g].cpu_of_vcpu) {
      REQUIRE(find_cpu(host, os) != nullptr);
      CHECK(find_cpu(host, os)->usable());
    }
    CHECK_FALSE(mappings[g].emulator.empty());
  }
  CHECK(claimed(mappings) == judge.losses(cpus, nodes));
  const auto exists = judge.exact_exists(3000000);
  if (!exists) {
    ++tally.undecided;
    return;
  }
  CHECK(exact == *exists);
  ++(exact ? tally.exact : tally.partial);
}

}  // namespace

TEST_CASE("No relation is claimed that does not hold, and no exact mapping of one guest is missed") {
  Dice dice(20090428);
  Tally tally;
  for (int i = 0; i < 1200; ++i) {
    const Host host = random_host(dice, 16);
    compare(host, {random_guest(dice, 8)}, tally);
  }
  CHECK(tally.undecided == 0);
  CHECK(tally.exact > 150);
  CHECK(tally.partial > 150);
}

TEST_CASE("No relation is claimed that does not hold, and no exact mapping of two guests is missed") {
  Dice dice(2014);
  Tally tally;
  for (int i = 0; i < 1200; ++i) {
    const Host host = random_host(dice, 16);
    compare(host, {random_guest(dice, 4), random_guest(dice, 4)}, tally);
  }
  CHECK(tally.undecided == 0);
  CHECK(tally.exact > 40);
  CHECK(tally.partial > 150);
}

TEST_CASE("Where all mappings were compared, none loses less") {
  Dice dice(7);
  int compared = 0;
  for (int i = 0; i < 250; ++i) {
    const Host host = random_host(dice, 6);
    const Topology guest = random_guest(dice, 4);
    if (static_cast<std::size_t>(cpu_count(guest)) > usable_cpus(host).size()) continue;
    const auto mappings = map_guests(host, {{&guest}, false});
    if (mappings[0].exact) continue;
    INFO(describe(host, {guest}));
    INFO(draw(mappings[0], guest, host));
    bool all = false;
    for (const auto& note : mappings[0].notes) all = all || note.find("all mappings") == 0;
    CHECK(all);
    CHECK(claimed(mappings) == BruteForce(host, {&guest}).least_losses());
    ++compared;
  }
  CHECK(compared > 60);
}
