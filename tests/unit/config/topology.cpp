// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

Topology shipped(const std::string& name) {
  return load_topology(std::filesystem::path(RIG_SOURCE_DIR) / "topologies" / (name + ".yaml"));
}

}  // namespace

TEST_CASE("The Q6600 is one package of two dies, each with two cores and one L2") {
  const Topology q6600 = shipped("q6600");
  CHECK(cpu_count(q6600) == 4);
  CHECK(q6600.sockets == 1);
  CHECK(q6600.dies == 2);
  CHECK(q6600.cores == 2);
  CHECK(q6600.threads == 1);
  CHECK(q6600.cpu_model == "Penryn");
  CHECK(q6600.cpuid_level == 10);
  CHECK(q6600.mhz == 2400);
  CHECK(memory_bytes(q6600) == 1024 * MiB);
  REQUIRE(q6600.nodes.size() == 1);
  CHECK(q6600.nodes[0].cpus == std::vector<int>{0, 1, 2, 3});
  const Cache* l1 = data_cache(q6600, 1);
  REQUIRE(l1 != nullptr);
  CHECK(l1->size == 32 * KiB);
  CHECK(l1->ways == 8);
  CHECK(l1->shared_by == 1);
  const Cache* l2 = data_cache(q6600, 2);
  REQUIRE(l2 != nullptr);
  CHECK(l2->size == 4 * MiB);
  CHECK(l2->ways == 16);
  CHECK(l2->line == 64);
  CHECK(sharers(q6600, *l2, 3) == std::vector<int>{2, 3});
  CHECK(data_cache(q6600, 3) == nullptr);
}

TEST_CASE("The Q6600 with two nodes has one for each die, 20 apart") {
  const Topology machine = shipped("q6600-numa2");
  REQUIRE(machine.nodes.size() == 2);
  CHECK(machine.nodes[0].cpus == std::vector<int>{0, 1});
  CHECK(machine.nodes[1].cpus == std::vector<int>{2, 3});
  CHECK(machine.nodes[0].memory == 512 * MiB);
  CHECK(machine.distances == std::vector<std::vector<int>>{{10, 20}, {20, 10}});
}

TEST_CASE("The Dell 1950 has two packages of two L2 pairs, of which 4 of 6 MiB can be shown") {
  const Topology dell = shipped("dell-1950");
  CHECK(cpu_count(dell) == 8);
  const Cache* l2 = data_cache(dell, 2);
  REQUIRE(l2 != nullptr);
  CHECK(l2->size == 6 * MiB);
  CHECK(l2->shown == 4 * MiB);
  CHECK(l2->ways == 24);
  CHECK(find_pair(dell, Relation::SameL2) == std::pair(0, 1));
  CHECK(find_pair(dell, Relation::SamePackage) == std::pair(0, 2));
  CHECK(find_pair(dell, Relation::OtherPackage) == std::pair(0, 4));
  CHECK(shipped("dell-1950-numa2").nodes.at(1).cpus == std::vector<int>{4, 5, 6, 7});
}

TEST_CASE("Memory is split over the nodes, or stated at each") {
  test::Folder folder;
  const std::string head = "topology: t\ncpu: {model: Penryn}\nsockets: 1\ncores: 2\n";
  const auto at_nodes = load_topology(folder.add(
      "t.yaml",
      head + "numa: {nodes: [{cpus: 0-1, memory: 128 MiB}, {memory: 32 MiB}], distances: [[10, 20], [20, 10]]}\n"));
  CHECK(at_nodes.nodes[0].memory == 128 * MiB);
  CHECK(at_nodes.nodes[1].memory == 32 * MiB);
  CHECK(at_nodes.nodes[1].cpus.empty());
  CHECK(load_topology(folder.add("t.yaml", head + "clock: 3.33 GHz\nmemory: 1 GiB\n")).mhz == 3330);
  CHECK(load_topology(folder.add("t.yaml", head + "clock: 800 MHz\nmemory: 1 GiB\n")).mhz == 800);
}

TEST_CASE("Each fault of a topology has its message") {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"sockets: 1\ncores: 4\nmemory: 1 GB\n",
       "t.yaml:5:9: memory: '1 GB' is not a size\n    memory: 1 GB\n            ^\n"
       "  allowed: a size as 512 KiB or 4 MiB, 64 MiB to 1024 GiB"},
      {"sockets: 1\ncores: 4\nmemory: 1 GiB\nclock: fast\n",
       "t.yaml:6:8: clock: 'fast' is not a frequency\n    clock: fast\n           ^\n  allowed: a frequency as 2.4 GHz "
       "or 2400 MHz"},
      {"sockets: 1\ncores: 2\nmemory: 1 GiB\nnuma: {nodes: [{cpus: 0-5}]}\n",
       "t.yaml:6:17: numa.nodes[0].cpus: CPU 2 does not exist: the machine has 2 CPUs, 0 to 1\n"
       "    numa: {nodes: [{cpus: 0-5}]}\n                    ^\n"
       "t.yaml:6:17: numa.nodes[0].cpus: CPU 3 does not exist: the machine has 2 CPUs, 0 to 1\n"
       "    numa: {nodes: [{cpus: 0-5}]}\n                    ^\n"
       "t.yaml:6:17: numa.nodes[0].cpus: CPU 4 does not exist: the machine has 2 CPUs, 0 to 1\n"
       "    numa: {nodes: [{cpus: 0-5}]}\n                    ^\n"
       "t.yaml:6:17: numa.nodes[0].cpus: CPU 5 does not exist: the machine has 2 CPUs, 0 to 1\n"
       "    numa: {nodes: [{cpus: 0-5}]}\n                    ^"},
      {"sockets: 1\ncores: 4\nmemory: 1 GiB\nnuma: {nodes: [{cpus: 0-1}, {cpus: 2}], distances: [[10, 20], [20, "
       "10]]}\n",
       "t.yaml:6:8: numa.nodes: no node holds CPU 3\n"
       "    numa: {nodes: [{cpus: 0-1}, {cpus: 2}], distances: [[10, 20], [20, 10]]}\n           ^"},
      {"sockets: 1\ncores: 3\nmemory: 1 GiB\ncaches: {l2: {size: 4 MiB, ways: 16, shared_by: 2}}\n",
       "t.yaml:6:38: caches.l2.shared_by: 2 cores share it, and the 3 cores of a socket do not divide by that\n"
       "    caches: {l2: {size: 4 MiB, ways: 16, shared_by: 2}}\n                                         ^"},
      {"sockets: 1\ncores: 4\nmemory: 1 GiB\ncaches: {l4: {size: 4 MiB}}\n",
       "t.yaml:6:10: caches.l4: this key is not known here\n    caches: {l4: {size: 4 MiB}}\n             ^\n"
       "  allowed: l1d, l1i, l2 or l3\n  did you mean 'l2'?"},
      {"sockets: 1\ncores: 4\n",
       "t.yaml:1:1: memory: is missing\n    topology: t\n    ^\n  allowed: a size as 1 GiB\n"
       "  the machine's, split evenly over its nodes"},
      {"sockets: 1\ncores: 2\nmemory: 1 GiB\nnuma: {nodes: [{cpus: 0-1, memory: 64 MiB}]}\n",
       "t.yaml:5:9: memory: 1 GiB, but the nodes have 64 MiB together\n    memory: 1 GiB\n            ^\n  remove one "
       "of the two"},
      {"sockets: 1\ncores: 2\nmemory: 64 MiB\n"
       "numa: {nodes: [{cpus: 0}, {cpus: 1}, {}], distances: [[10, 20, 20], [20, 10, 20], [20, 20, 10]]}\n",
       "t.yaml:5:9: memory: 64 MiB does not split into whole MiB over 3 nodes\n    memory: 64 MiB\n            ^"},
      {"sockets: 1\ncores: 4\nmemory: 64 MiB\n",
       "t.yaml:5:1: memory: 64 MiB is too small for a guest of 4 CPUs: its kernel and image take 128 MiB\n"
       "    memory: 64 MiB\n    ^\n  give it 128 MiB or more"},
      {"sockets: 1\ncores: 4\nnuma: {nodes: [{cpus: 0-1, memory: 32 MiB}, {cpus: 2-3, memory: 64 MiB}], distances: "
       "[[10, 20], [20, 10]]}\n",
       "t.yaml:5:1: memory: 96 MiB is too small for a guest of 4 CPUs: its kernel and image take 128 MiB\n"
       "    numa: {nodes: [{cpus: 0-1, memory: 32 MiB}, {cpus: 2-3, memory: 64 MiB}], distances: [[10, 20], [20, "
       "10]]}\n"
       "    ^\n  give it 128 MiB or more"},
      {"sockets: 1\ncores: 4\nmemory: 1 GiB\ncaches: {l2: {size: 6 MiB, ways: 24, shared_by: 2}}\n",
       "t.yaml:6:15: caches.l2.size: QEMU's Penryn shows 4 MiB here, whatever the machine has, and not 6 MiB\n"
       "    caches: {l2: {size: 6 MiB, ways: 24, shared_by: 2}}\n                  ^\n"
       "  add shown: 4 MiB (caches.l2.shown where it is set): the size stays the machine's, and the model's"},
      {"sockets: 1\ncores: 4\nmemory: 1 GiB\ncaches: {l2: {size: 6 MiB, shown: 2 MiB, ways: 24, shared_by: 2}}\n",
       "t.yaml:6:28: caches.l2.shown: QEMU's Penryn shows 4 MiB here, whatever the machine has, and not 2 MiB\n"
       "    caches: {l2: {size: 6 MiB, shown: 2 MiB, ways: 24, shared_by: 2}}\n                               ^\n"
       "  write shown: 4 MiB"},
      {"sockets: 0\ncores: 4\nmemory: 1 GiB\n",
       "t.yaml:3:10: sockets: '0' is too small\n    sockets: 0\n             ^\n  allowed: a whole number, 1 to 64"},
      {"sockets: 64\ncores: 64\nmemory: 1 GiB\n",
       "t.yaml:1:1: the machine has 4096 CPUs, more than the 512 that rig builds guests with\n    topology: t\n    ^"},
  };
  test::Folder folder;
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(folder.faults(folder.add("t.yaml", std::string("topology: t\ncpu: {model: Penryn}\n") + c.text)) ==
          c.message);
  }
}
