// SPDX-License-Identifier: GPL-2.0-or-later
// A machine of two pairs with plain numbers, for sums in the head.
#pragma once
#include "rig/model/machine_spec.h"

namespace rig::model::test {

inline MachineSpec spec() {
  MachineSpec s;
  s.name = "pairs";
  s.mhz = 2000;
  s.cpus = s.cpus_per_package = 4;
  s.levels = {{.sets = 64, .ways = 8, .cpus = 1, .latency = 3},
              {.sets = 4096, .ways = 16, .cpus = 2, .latency = 13, .transfer = 43, .upgrade = 10}};
  s.package = {.transfer = 203, .upgrade = 100};
  s.nodes = {{.memory = 1u << 30}};
  s.node_of_cpu = {0, 0, 0, 0};
  s.memory = {{153}};
  s.bus_line = 20;
  s.memory_line = 10;
  s.exposed_hit = 50;
  s.exposed_store = 30;
  s.millicycles.fill(1000);
  s.locked = 20;
  s.device.fill(100);
  s.interrupt = 200;
  s.halt_exit = 500;
  return s;
}

}  // namespace rig::model::test
