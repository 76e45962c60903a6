// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/topology/topology.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "machines.h"

using namespace rig;

TEST_CASE("The Q6600 has two dies of two cores, each die with an L2 of its own") {
  const auto t = q6600();
  CHECK(cpu_count(t) == 4);
  CHECK(faults(t).empty());
  CHECK(sharers(t, *data_cache(t, 2), 1) == std::vector{0, 1});
  CHECK(sharers(t, *data_cache(t, 2), 2) == std::vector{2, 3});
  CHECK(find_pair(t, Relation::SameCpu) == std::pair(0, 0));
  CHECK(find_pair(t, Relation::SameL2) == std::pair(0, 1));
  CHECK(find_pair(t, Relation::SamePackage) == std::pair(0, 2));
  CHECK_FALSE(find_pair(t, Relation::OtherPackage));
}

TEST_CASE("The dual quad-core Dell has all four placements of the 2009 post") {
  const auto t = dell_1950();
  CHECK(faults(t).empty());
  CHECK(find_pair(t, Relation::SameL2) == std::pair(0, 1));
  CHECK(find_pair(t, Relation::SamePackage) == std::pair(0, 2));
  CHECK(find_pair(t, Relation::OtherPackage) == std::pair(0, 4));
  CHECK(locate(t, 6).socket == 1);
  CHECK(locate(t, 6).die == 3);
}

TEST_CASE("SMT siblings share the L2 and never count as another one") {
  auto t = q6600();
  t.threads = 2;
  t.nodes[0].cpus = {0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(relation_of(t, 0, 1) == Relation::SameL2);
  CHECK(relation_of(t, 0, 4) == Relation::SamePackage);
  t.caches.clear();
  CHECK(relation_of(t, 0, 1) == Relation::SameL2);
}

TEST_CASE("Relations are symmetric on every pair") {
  const auto t = dell_1950();
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) CHECK(relation_of(t, a, b) == relation_of(t, b, a));
  }
}

TEST_CASE("The words for placements are read back as they are written") {
  for (const auto relation : all_relations) CHECK(parse_relation(to_string(relation)) == relation);
  CHECK_FALSE(parse_relation("same-core"));
}

TEST_CASE("CPU lists are in the kernel's form") {
  CHECK(format_cpu_list({0, 1, 4, 6, 7, 8}) == "0-1,4,6-8");
  CHECK(parse_cpu_list("0-1,4,6-8") == std::vector{0, 1, 4, 6, 7, 8});
  CHECK(parse_cpu_list("") == std::vector<int>{});
  for (const char* wrong : {"x", "1-", "3-1", "1,", ",1", "-1", "1 2", "0-99999999"})
    CHECK_FALSE(parse_cpu_list(wrong));
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> cpus;
    for (int cpu = 0; cpu < 40; ++cpu) {
      if (random() % 3 == 0) cpus.push_back(cpu);
    }
    CHECK(parse_cpu_list(format_cpu_list(cpus)) == cpus);
  }
}

TEST_CASE("Contradictions in a machine are all told, with their places") {
  using Faults = std::vector<std::pair<std::string, std::string>>;
  auto t = q6600();
  SECTION("CPU counts that disagree") {
    t.nodes = {{{0, 1, 2, 3, 4, 5}, 1u << 30}};
    CHECK(faults(t) == Faults{{"numa.nodes[0].cpus", "CPU 4 does not exist: the machine has 4 CPUs, 0 to 3"},
                              {"numa.nodes[0].cpus", "CPU 5 does not exist: the machine has 4 CPUs, 0 to 3"}});
  }
  SECTION("a CPU in two nodes and one in none") {
    t.nodes = {{{0, 1}, 1u << 29}, {{1, 2}, 1u << 29}};
    t.distances = {{10, 20}, {20, 10}};
    CHECK(faults(t) ==
          Faults{{"numa.nodes[1].cpus", "CPU 1 is in node 0 already"}, {"numa.nodes", "no node holds CPU 3"}});
  }
  SECTION("distances") {
    t.nodes = {{{0, 1}, 1u << 29}, {{2, 3}, 1u << 29}};
    CHECK(faults(t) == Faults{{"numa.distances", "it must be a table of 2 × 2 numbers, one row a node"}});
    t.distances = {{10, 5}, {20, 12}};
    CHECK(faults(t) == Faults{{"numa.distances[0][1]", "5 is outside 11 to 254"},
                              {"numa.distances[1][1]", "12 must be 10, a node's distance to itself"}});
  }
  SECTION("a cache whose sharers do not divide, or cut a die") {
    t.caches[2].shared_by = 3;
    CHECK(faults(t) ==
          Faults{{"caches.l2.shared_by", "3 cores share it, and the 4 cores of a socket do not divide by that"}});
  }
  SECTION("a size that the ways do not divide, or no power of two of sets") {
    t.caches[2].ways = 24;
    CHECK(faults(t) == Faults{{"caches.l2.size", "4 MiB does not divide into 24 ways of 64-byte lines"}});
    t.caches[2].ways = 16, t.caches[2].size = 6 << 20;
    CHECK(faults(t) == Faults{{"caches.l2.size", "6144 sets are not a power of two"}});
  }
  SECTION("an inner cache shared more widely than an outer one") {
    t.caches[0].shared_by = 4;
    CHECK(faults(t) ==
          Faults{{"caches.l1d.shared_by", "it is shared more widely than l2, which is farther from the cores"}});
  }
  SECTION("no core at all") {
    t.cores = 0;
    CHECK(faults(t) == Faults{{"cores", "there must be at least one"}});
  }
}

TEST_CASE("The drawing shows packages, cache groups, nodes and placements") {
  const std::string text = draw(q6600());
  CHECK(text.find("package 0  CPUs 0-3\n") != std::string::npos);
  CHECK(text.find("L2 4 MiB, 16-way   [0-1] [2-3]\n") != std::string::npos);
  CHECK(text.find("L1d 32 KiB, 8-way  [0] [1] [2] [3]\n") != std::string::npos);
  CHECK(text.find("same-package   CPU 0 and CPU 2\n") != std::string::npos);
  CHECK(text.find("other-package  none on this machine\n") != std::string::npos);
}

TEST_CASE("A peer's package follows the machine's own, holds what is asked, and no placement counts it") {
  auto t = dell_1950();
  t.peer = PeerPackage{.packages = 1, .cores = 1};
  t.nodes[0].cpus.push_back(8);
  CHECK(faults(t).empty());
  CHECK(measured_cpus(t) == 8);
  CHECK(cpu_count(t) == 9);
  CHECK(cpu_room(t) == 12);
  CHECK(package_count(t) == 3);
  CHECK(peer_cpus(t) == std::vector{8});
  CHECK(locate(t, 8).socket == 2);
  CHECK(sharers(t, *data_cache(t, 2), 8) == std::vector{8});
  CHECK(find_pair(t, Relation::OtherPackage) == std::pair(0, 4));
  auto one_package = q6600();
  one_package.peer = t.peer;
  CHECK_FALSE(find_pair(one_package, Relation::OtherPackage));
}

TEST_CASE("A peer that does not fit is told where it stands") {
  const auto fault = [](PeerPackage peer, int sockets) {
    auto t = dell_1950();
    t.peer = peer;
    t.sockets = sockets;
    const auto found = faults(t);
    return found.empty() ? std::pair<std::string, std::string>() : found.front();
  };
  CHECK(fault({2, 1}, 2) ==
        std::pair<std::string, std::string>("peer.packages", "the peer can have one package alone"));
  CHECK(fault({1, 5}, 2).second == "5 cores do not fit into a package, which has 4");
  CHECK(fault({1, 1}, 128).first == "peer");
}
