// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/bus.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>

using rig::model::Bus;
using rig::model::Cycles;

TEST_CASE("A transaction takes the first gap that is long enough, from its own time on") {
  Bus bus;
  CHECK(bus.reserve(100, 10) == 0);   // 100 to 110
  CHECK(bus.reserve(100, 10) == 10);  // 110 to 120
  CHECK(bus.reserve(125, 10) == 0);   // 125 to 135
  CHECK(bus.reserve(115, 5) == 5);    // the gap from 120 to 125
  CHECK(bus.reserve(115, 5) == 20);   // now from 135
  CHECK(bus.reserve(95, 5) == 0);     // up to the first
  CHECK(bus.reserve(91, 5) == 49);    // a cycle too long for the gap from 91 to 95: from 140
  CHECK(bus.busy() == 10 + 10 + 10 + 5 + 5 + 5 + 5);
  CHECK(bus.reserve(100, 0) == 0);
}

TEST_CASE("A bus agrees with one that marks every cycle") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Bus bus;
    std::set<Cycles> taken;
    Cycles now = 10000;
    for (int i = 0; i < 200; ++i) {
      now += random() % 40;
      const Cycles at = now - random() % 2000, length = 1 + random() % 30;
      Cycles start = at;
      for (Cycles cycle = start; cycle < start + length; ++cycle) {
        if (taken.contains(cycle)) start = cycle + 1;
      }
      for (Cycles cycle = start; cycle < start + length; ++cycle) taken.insert(cycle);
      REQUIRE(bus.reserve(at, length) == start - at);
    }
  }
}

TEST_CASE("A bus that runs for long forgets the old and stays right") {
  Bus bus;
  for (Cycles now = 0; now < 1000000; now += 100) REQUIRE(bus.reserve(now, 20) == 0);
  CHECK(bus.reserve(999900, 20) == 20);
  CHECK(bus.reserve(999800, 20) == 20);
  CHECK(bus.reserve(0, 20) == 0);
}
