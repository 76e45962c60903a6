// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/session.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "spec.h"

using namespace rig::model;

namespace {
const std::string sum(64, '0');
}  // namespace

TEST_CASE("a region's report tells where each vCPU's cycles went, and they add up") {
  Session session(test::spec(), sum, 2400);
  session.begin(0, 1'000'000, 0);
  std::mt19937 random(3);
  unsigned cpu = 0;
  InstructionCounts counts{};
  counts[static_cast<std::size_t>(InstructionClass::Simple)] = 7;
  const BlockCost block = session.machine().block_cost(counts);
  for (int step = 0; step < 50'000; ++step) {
    switch (random() % 12) {
      case 0:
        session.time().halt(cpu);
        cpu = random() % 4;
        break;
      case 1:
        session.send_interrupt(cpu);
        session.wake_by(cpu, random() % 4);
        break;
      case 2:
        session.device(cpu, Device::LocalApic);
        break;
      case 3:
        session.take_interrupt(cpu);
        break;
      default:
        break;
    }
    session.block(cpu, block);
    session.access(cpu, (random() % 4096) * 64 + random() % 60, 8, static_cast<AccessKind>(random() % 3));
    if (step == 10'000) session.count();
  }
  session.close(false);
  REQUIRE(session.report().regions.size() == 1);
  const RegionReport& region = session.report().regions[0];
  CHECK(region.begin_ns == 1'000'000);
  CHECK(region.counted_ns > region.begin_ns);
  CHECK(region.end_ns > region.counted_ns);
  REQUIRE(region.cpus.size() == 4);
  for (const CpuReport& report : region.cpus) {
    std::uint64_t cycles = *report.value("idle");
    for (const auto& [name, value] : report.values) cycles += name.ends_with(".cycles") ? value : 0;
    CHECK(cycles == *report.value("elapsed"));
    CHECK(*report.value("instructions") > 0);
  }
}

TEST_CASE("a region begins with cold caches and no counts, whatever was before it") {
  Session session(test::spec(), sum, 2400);
  const auto one_region = [&] {
    session.begin(0, 0, 0);
    for (int line = 0; line < 100; ++line) session.access(0, 64u * static_cast<unsigned>(line), 8, AccessKind::Load);
    session.close(false);
    session.leave(0);
    return session.report().regions.back().cpus[0];
  };
  const CpuReport first = one_region();
  CHECK(first.value("served.memory.count") == 100);
  CHECK(one_region() == first);
}

TEST_CASE("the report names the machine that it is of") {
  Session session(test::spec(), sum, 600);
  CHECK(session.report().spec_name == test::spec().name);
  CHECK(session.report().spec_sha256 == sum);
  CHECK(session.report().quantum == 600);
  CHECK(session.report().cpus == 4);
}

TEST_CASE("an interrupt is there when its delivery is over") {
  MachineSpec spec = test::spec();
  spec.ipi_delivery = 840;
  Session session(spec, sum, 2400);
  session.begin(0, 0, 0);
  session.time().advance(0, 10'000);
  session.wake_by(0, 3);
  session.time().resume(3);
  CHECK(session.time().now(3) == 10'840);
}
