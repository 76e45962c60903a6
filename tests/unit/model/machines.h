// SPDX-License-Identifier: GPL-2.0-or-later
// Machines for the tests, written out by hand: numbers that are easy to add up.
#pragma once
#include "rig/model/machine_spec.h"

namespace rig::model::test {

// Four CPUs in two pairs with an L2 each, one package, one bus: a Q6600.
inline MachineSpec quad() {
  MachineSpec s;
  s.name = "quad";
  s.mhz = 2400;
  s.cpus = s.cpus_per_package = 4;
  s.levels = {{64, 8, 1, 3, 3, 0}, {4096, 16, 2, 14, 64, 30}};
  s.package = {257, 144};
  s.nodes = {{1u << 30}};
  s.node_of_cpu = {0, 0, 0, 0};
  s.memory = {{168}};
  s.bus_line = 18;
  s.bus_request = 10;
  s.memory_line = 12;
  s.exposed_hit = 50;
  s.exposed_memory = 70;
  s.exposed_store = 30;
  s.millicycles = {600, 1200, 3000, 40000, 1200, 1500, 8000, 75000, 250000, 65000, 8000, 12000, 180000};
  s.fetch_millicycles = 250;
  s.tlb_millicycles = 80;
  s.locked = 20;
  s.split = 12;
  s.interrupt = 250;
  s.device = {80, 1200, 1200, 2400, 2400, 1920, 360, 1440, 2400};
  s.ipi_send = 100;
  s.ipi_delivery = 840;
  s.halt_exit = 1920;
  return s;
}

// Two packages as quad(), a bus each: a Dell 1950.
inline MachineSpec two_packages() {
  MachineSpec s = quad();
  s.name = "two-packages";
  s.cpus = 8;
  s.levels[1] = {4096, 24, 2, 15, 70, 30};
  s.other_package = {396, 248};
  s.node_of_cpu.assign(8, 0);
  return s;
}

// Caches of a few lines, so that traces of a few lines evict.
inline MachineSpec tiny(MachineSpec s) {
  for (std::size_t i = 0; i < s.levels.size(); ++i) {
    s.levels[i].sets = 2u << i;
    s.levels[i].ways = 2 + static_cast<std::uint32_t>(i);
  }
  return s;
}

// Three levels, two threads a core: threads share L1, two cores an L2, a package the L3.
inline MachineSpec three_levels() {
  MachineSpec s = quad();
  s.name = "three-levels";
  s.cpus = 16;
  s.cpus_per_package = 8;
  s.levels = {{64, 8, 2, 4, 4, 0}, {512, 8, 4, 12, 40, 20}, {8192, 16, 8, 40, 75, 50}};
  s.other_package = {300, 200};
  s.nodes = {{1u << 19}, {1u << 19}};
  s.node_of_cpu = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  s.memory = {{200, 330}, {320, 210}};
  return s;
}

}  // namespace rig::model::test
