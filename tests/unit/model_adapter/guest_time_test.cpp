// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/guest_time.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace rig::model;

namespace {
constexpr Cycles quantum = 2400;
constexpr std::uint32_t mhz = 2400;  // 12 cycles are 5 ns
}  // namespace

TEST_CASE("outside the region guest time is QEMU's, and rdtsc counts it in cycles") {
  GuestTime time(4, mhz, quantum);
  CHECK_FALSE(time.modelled());
  CHECK(time.plain_ns(1000) == 1000);
  CHECK(time.plain_ticks(1000) == 2400);
}

TEST_CASE("time goes on at the region's begin where it stood, and at its end where the clocks stand") {
  GuestTime time(4, mhz, quantum);
  time.begin(2, 1'000'000, 300);
  CHECK(time.modelled_ns() == 1'000'000);
  CHECK(time.modelled_ticks(2) == 2'400'000);
  time.advance(2, 24'000);  // 10 us
  CHECK(time.modelled_ns() == 1'010'000);
  time.end(1'000'100);  // for QEMU 100 ns have gone by
  CHECK(time.plain_ns(1'000'100) == 1'010'001);
  CHECK(time.plain_ticks(1'000'100) >= 2'424'000);
  CHECK(time.plain_ns(1'000'200) == 1'010'101);
  time.begin(0, 1'000'200, 300);
  CHECK(time.modelled_ns() == 1'010'101);
}

TEST_CASE("virtual time is that of the slowest busy vCPU, rdtsc each vCPU's own") {
  GuestTime time(2, mhz, quantum);
  time.begin(0, 0, 0);
  time.wake(1, 0);
  CHECK(time.resume(1));
  time.advance(0, 1200);
  time.advance(1, 480);
  CHECK(time.modelled_ns() == 200);
  CHECK(time.modelled_ticks(0) == 1200);
  CHECK(time.modelled_ticks(1) == 480);
}

TEST_CASE("a woken vCPU resumes at its waker's time") {
  GuestTime time(2, mhz, quantum);
  time.begin(0, 0, 0);
  time.advance(0, 7000);
  time.wake(1, 7500);
  CHECK(time.resume(1));
  CHECK(time.now(1) == 7500);
  CHECK(time.idle(1) == 7500);
}

TEST_CASE("an event that found a vCPU busy keeps it from sleeping on, not from its time") {
  GuestTime time(2, mhz, quantum);
  time.begin(0, 0, 0);
  time.advance(0, 2000);
  time.wake(0, 2600);  // by another that is ahead
  time.advance(0, 100);
  time.halt(0);
  CHECK(time.resume(0));
  CHECK(time.now(0) == 2600);

  SECTION("but an event of the past does not hold it up") {
    time.advance(0, 5000);
    time.halt(0);
    time.resume(0);
    CHECK(time.now(0) == 7600);
  }
}

TEST_CASE("a vCPU that was busy before the region pays no exit from halt when it is first seen") {
  GuestTime time(2, mhz, quantum);
  time.begin(0, 0, 0);
  CHECK_FALSE(time.resume(1));
  time.halt(1);
  CHECK(time.resume(1));
}

TEST_CASE("an idle guest's time jumps to its next timer, to the nanosecond") {
  GuestTime time(2, 3300, quantum);
  time.begin(0, 1'000'003, 77);
  time.advance(0, 1001);
  time.halt(0);
  time.all_idle();
  const std::int64_t now = time.modelled_ns();
  time.note_warps(77 + 12'345);
  CHECK(time.modelled_ns() == now + 12'345);
  CHECK(time.idle(1) > 12'000);
  time.note_warps(77 + 12'345);  // the same once more
  CHECK(time.modelled_ns() == now + 12'345);
}

TEST_CASE("guest time never goes back, and every cycle of a vCPU is spent or idle") {
  std::mt19937 random(7);
  for (int run = 0; run < 50; ++run) {
    GuestTime time(4, 3300, quantum);
    std::int64_t icount = 1000, warps = 0, shown = time.plain_ns(icount);
    std::vector<Cycles> spent(4, 0);
    time.begin(run % 4, icount, warps);
    std::vector<Cycles> ticks(4, time.modelled_ticks(0));
    unsigned cpu = run % 4;
    for (int step = 0; step < 2000; ++step) {
      const auto what = random() % 10;
      if (what < 6 && time.busy(cpu)) {
        const Cycles cycles = random() % 500;
        time.advance(cpu, cycles);
        spent[cpu] += cycles;
      } else if (what == 6) {
        time.halt(cpu);
        cpu = random() % 4;
        time.wake(cpu, shown < 0 ? 0 : time.now((cpu + 1) % 4));
        time.resume(cpu);
      } else if (what == 7) {
        cpu = random() % 4;
        if (!time.busy(cpu)) time.resume(cpu);
      } else if (what == 8 && random() % 4 == 0) {
        time.all_idle();
        time.note_warps(warps += random() % 5000);
        time.resume(cpu);
      }
      const std::int64_t now = time.modelled_ns();
      REQUIRE(now >= shown);
      shown = now;
      REQUIRE(time.modelled_ticks(cpu) >= ticks[cpu]);
      ticks[cpu] = time.modelled_ticks(cpu);
    }
    time.close_counters();
    for (unsigned k = 0; k < 4; ++k) REQUIRE(time.elapsed(k) == spent[k] + time.idle(k));
    time.end(icount);
    REQUIRE(time.plain_ns(icount) >= shown);
    for (unsigned k = 0; k < 4; ++k) REQUIRE(time.plain_ticks(icount) >= ticks[k]);
  }
}

TEST_CASE("nanoseconds become cycles that become no fewer nanoseconds") {
  for (const std::uint32_t clock : {1u, 999u, 2400u, 3300u, 5000u}) {
    GuestTime time(1, clock, quantum);
    for (const std::int64_t ns : {0ll, 1ll, 999ll, 123'456'789ll, 3'600'000'000'000ll, 86'400'000'000'000ll}) {
      CHECK(time.to_ns(time.to_cycles_up(ns)) >= ns);
      CHECK(time.to_ns(time.to_cycles(ns)) <= ns);
    }
  }
}
