// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/clocks.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

using namespace rig::model;

TEST_CASE("Virtual time is that of the slowest busy vCPU") {
  Clocks clocks(3, 1000, 500);
  CHECK(clocks.virtual_now() == 500);
  clocks.advance(0, 300);
  CHECK(clocks.virtual_now() == 800);  // the others are halted
  clocks.wake(1, 700);
  CHECK(clocks.resume(1, 50) == 200);  // idle from 500 to 700
  CHECK(clocks.now(1) == 750);
  CHECK(clocks.virtual_now() == 800);  // never back
  clocks.advance(1, 100);
  CHECK(clocks.virtual_now() == 800);
  clocks.advance(0, 500);
  CHECK(clocks.virtual_now() == 850);
}

TEST_CASE("With all idle, virtual time is that of the fastest, and jumps to the next timer") {
  Clocks clocks(2, 1000);
  clocks.advance(0, 400);
  clocks.wake(1, 100);
  clocks.resume(1, 0);
  clocks.halt(1);
  clocks.halt(0);
  CHECK(clocks.virtual_now() == 400);
  clocks.skip(600);
  CHECK(clocks.virtual_now() == 1000);
  CHECK(clocks.now(0) == 1000);
  CHECK(clocks.now(1) == 1000);
  CHECK(clocks.idle(0) == 600);
  CHECK(clocks.idle(1) == 100 + 900);
}

TEST_CASE("A woken vCPU resumes at the waker's time, the earliest of several, or its own if that is later") {
  Clocks clocks(2, 1000);
  clocks.advance(0, 900);
  clocks.wake(1, 900);
  clocks.wake(1, 700);
  clocks.wake(1, 800);
  CHECK(clocks.state(1) == CpuState::Woken);
  CHECK(clocks.resume(1, 20) == 700);
  CHECK(clocks.now(1) == 720);
  CHECK(clocks.resume(1, 20) == 0);  // busy already
  CHECK(clocks.now(1) == 720);
  clocks.advance(1, 1000);
  clocks.halt(1);
  clocks.wake(1, 900);
  CHECK(clocks.resume(1, 0) == 0);
  CHECK(clocks.now(1) == 1720);
  clocks.wake(1, 5000);  // busy: without effect
  CHECK(clocks.state(1) == CpuState::Busy);
  CHECK(clocks.idle(1) == 700);
}

TEST_CASE("A vCPU more than a quantum ahead of the slowest must yield") {
  Clocks clocks(2, 1000);
  CHECK(!clocks.must_yield(0));
  clocks.advance(0, 5000);
  CHECK(!clocks.must_yield(0));  // alone
  clocks.wake(1, 4500);
  CHECK(!clocks.must_yield(0));  // 500 ahead of the woken one
  CHECK(!clocks.advance(0, 500));
  CHECK(!clocks.must_yield(0));  // a quantum exactly
  CHECK(clocks.advance(0, 1));
  CHECK(clocks.must_yield(0));
  clocks.resume(1, 0);
  CHECK(!clocks.must_yield(1));
  CHECK(clocks.yields() == 1);
}

TEST_CASE("advance says so as soon as a vCPU may have to yield, whatever the others do meanwhile") {
  std::mt19937 random(3);
  Clocks clocks(4, 200);
  std::vector<Cycles> told(4, 0);  // when it was last told to yield
  unsigned ahead = 0;
  for (int i = 0; i < 100000; ++i) {
    const unsigned cpu = random() % 4;
    switch (random() % 8) {
      case 0:
        clocks.halt(cpu);
        break;
      case 1:
        clocks.wake(cpu, clocks.now(random() % 4) + random() % 100);
        break;
      default: {
        clocks.resume(cpu, 10);
        const bool said = clocks.advance(cpu, random() % 60);
        Cycles slowest = clocks.now(cpu);
        for (unsigned other = 0; other < 4; ++other) {
          if (clocks.state(other) == CpuState::Busy) slowest = std::min(slowest, clocks.now(other));
        }
        if (clocks.now(cpu) > slowest + 200 && clocks.now(cpu) > told[cpu] + 200 / 8) {
          ++ahead;
          REQUIRE(said);
        }
        if (said && clocks.must_yield(cpu)) told[cpu] = clocks.now(cpu);
      }
    }
  }
  CHECK(ahead > 1000);
}

TEST_CASE("An event that wakes nobody holds up time for four quanta and no longer") {
  Clocks clocks(2, 1000);
  clocks.wake(1, 100);
  clocks.advance(0, 4100);
  CHECK(clocks.virtual_now() == 100);
  CHECK(clocks.must_yield(0));
  clocks.advance(0, 1);
  CHECK(clocks.virtual_now() == 4101);
  CHECK(!clocks.must_yield(0));
  CHECK(clocks.resume(1, 0) == 100);
  CHECK(clocks.virtual_now() == 4101);
}

TEST_CASE("Virtual time never goes back") {
  std::mt19937 random(11);
  Clocks clocks(4, 500);
  Cycles before = 0;
  for (int i = 0; i < 100000; ++i) {
    const unsigned cpu = random() % 4;
    switch (random() % 6) {
      case 0:
        clocks.halt(cpu);
        break;
      case 1:
        clocks.wake(cpu, clocks.now(random() % 4));
        break;
      case 2:
        if (random() % 50 == 0) clocks.skip(random() % 1000);
        break;
      default:
        clocks.resume(cpu, 5);
        clocks.advance(cpu, random() % 100);
    }
    const Cycles now = clocks.virtual_now();
    REQUIRE(now >= before);
    before = now;
  }
}
