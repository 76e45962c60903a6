// SPDX-License-Identifier: GPL-2.0-or-later
// The parameter sets that rig ships, as the model gets them.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "rig/config/config.h"
#include "rig/model/machine.h"
#include "rig/model/of_topology.h"

using namespace rig;
using namespace rig::model;

namespace {

Topology shipped(const std::string& name) {
  return load_topology(std::filesystem::path(RIG_SOURCE_DIR) / "topologies" / (name + ".yaml"));
}

const char* const all[] = {"q6600", "q6600-numa2", "dell-1950", "dell-1950-numa2"};

}  // namespace

TEST_CASE("Every number of a shipped timing has its unit, a source and a range; at most one published figure is fitted") {
  for (const std::string name : all) {
    const Topology topology = shipped(name);
    REQUIRE(topology.timing.has_value());
    std::set<std::string> fitted;  // published figures
    for (const auto& [path, quantity] : topology.timing->values) {
      INFO(name << " " << path);
      CHECK(!quantity.source.empty());
      CHECK(quantity.low <= quantity.value);
      CHECK(quantity.value <= quantity.high);
      if (!quantity.fitted.empty()) fitted.insert(quantity.fitted);
    }
    CHECK(fitted.size() <= 1);
  }
}

TEST_CASE("The Q6600 is modelled at 2.4 GHz with one bus of 1066 MT/s for two L2 of 4 MiB") {
  const MachineSpec spec = machine_spec(shipped("q6600"));
  CHECK(spec.mhz == 2400);
  CHECK(spec.cpus == 4);
  CHECK(spec.cpus_per_package == 4);
  REQUIRE(spec.levels.size() == 2);
  CHECK(spec.levels[0] == LevelSpec{64, 8, 1, 3, 3, 0});
  CHECK(spec.levels[1] == LevelSpec{4096, 16, 2, 14, 64, 30});
  CHECK(spec.package.transfer == 257);  // 107 ns × 2.4
  CHECK(spec.package.upgrade == 144);   // 60 ns × 2.4
  CHECK(spec.memory == std::vector<std::vector<Cycles>>{{168}});
  CHECK(spec.bus_line == 18);     // 8 transfers at 1066 MT/s are 7.5 ns
  CHECK(spec.bus_request == 18);  // two bus clocks of 266 MHz are 7.5 ns
  CHECK(spec.millicycles[0] == 830);
  CHECK(spec.device[static_cast<std::size_t>(Device::Serial)] == 2400);
  CHECK(spec.low_memory == 0);
}

TEST_CASE("The Dell is modelled at 3.3 GHz with a bus for each package and 6 MiB, though its guests see 4") {
  const MachineSpec spec = machine_spec(shipped("dell-1950"));
  CHECK(spec.cpus == 8);
  CHECK(spec.cpus_per_package == 4);
  CHECK(spec.levels[1].sets * spec.levels[1].ways * spec.line == 6u << 20);
  CHECK(spec.levels[1].ways == 24);
  CHECK(spec.package.transfer == 353);        // 107 ns × 3.3
  CHECK(spec.other_package.transfer == 396);  // 120 ns × 3.3
  CHECK(spec.memory[0][0] == 330);
  CHECK(spec.bus_line == 20);  // 8 transfers at 1333 MT/s are 6.0 ns
  CHECK(Machine(spec).spec().cpus / spec.cpus_per_package == 2);
}

TEST_CASE("With NUMA nodes, memory of the other node is farther") {
  const MachineSpec spec = machine_spec(shipped("dell-1950-numa2"));
  REQUIRE(spec.nodes.size() == 2);
  CHECK(spec.nodes[0].memory == 1u << 30);
  CHECK(spec.node_of_cpu == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(spec.memory == std::vector<std::vector<Cycles>>{{330, 495}, {495, 330}});
}

TEST_CASE("A shipped machine survives the way through its text") {
  for (const std::string name : all) {
    const MachineSpec spec = machine_spec(shipped(name));
    CHECK(parse_spec(to_text(spec)) == spec);
  }
}
