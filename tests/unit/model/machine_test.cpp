// SPDX-License-Identifier: GPL-2.0-or-later
// Traces whose states and cycles were worked out by hand, from the numbers in machines.h.
#include "rig/model/machine.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "tests/unit/model/machines.h"

using namespace rig::model;
using namespace rig::model::test;

namespace {

constexpr auto Load = AccessKind::Load;
constexpr auto Store = AccessKind::Store;
constexpr auto Locked = AccessKind::Locked;
constexpr std::uint64_t A = 0x10000, B = 0x20040;

std::uint64_t count(const Machine& machine, unsigned cpu, Source source) {
  return machine.counters(cpu).served[static_cast<std::size_t>(source)].count;
}

// The level-1 states of a line, a letter for each CPU: "S S . M".
std::string states(const Machine& machine, unsigned level, std::uint64_t address) {
  std::string text;
  for (unsigned cpu = 0; cpu < machine.spec().cpus; ++cpu) {
    text += ".SEM"[static_cast<std::size_t>(machine.state(level, cpu, address))];
  }
  return text;
}

}  // namespace

TEST_CASE("A line goes through its states on two pairs of a quad") {
  Machine m(quad());
  // from memory: 70 % of 168 - 3
  CHECK(m.access(0, A, 8, Load, 1000) == 116);
  CHECK(states(m, 1, A) == "E...");
  CHECK(states(m, 2, A) == "EE..");
  CHECK(m.access(0, A + 56, 8, Load, 2000) == 0);
  // the CPU's own becomes modified in silence
  CHECK(m.access(0, A, 8, Store, 3000) == 0);
  CHECK(states(m, 1, A) == "M...");
  CHECK(states(m, 2, A) == "MM..");
  // the sibling takes it inside the pair: 64 - 3
  CHECK(m.access(1, A, 4, Load, 4000) == 61);
  CHECK(states(m, 1, A) == "SS..");
  CHECK(states(m, 2, A) == "MM..");
  // and makes it its own: 30 % of 30
  CHECK(m.access(1, A, 4, Store, 5000) == 9);
  CHECK(states(m, 1, A) == ".M..");
  CHECK(m.counters(1).invalidated == 1);
  // the other pair takes it over the bus: 257 - 3
  CHECK(m.access(2, A, 4, Load, 6000) == 254);
  CHECK(states(m, 1, A) == ".SS.");
  CHECK(states(m, 2, A) == "SSSS");
  // back in the first pair's L2, shared with the other pair: 30 % of 14 - 3 and of 144, each rounded
  CHECK(m.access(0, A, 4, Store, 7000) == 3 + 43);
  CHECK(states(m, 1, A) == "M...");
  CHECK(states(m, 2, A) == "MM..");
  // a locked operation waits for all of the transfer: 257 - 3 + 20
  CHECK(m.access(3, A, 4, Locked, 8000) == 274);
  CHECK(states(m, 1, A) == "...M");
  CHECK(states(m, 2, A) == "..MM");
  // and costs 20 where the line is its own
  CHECK(m.access(3, A, 4, Locked, 9000) == 20);

  CHECK(count(m, 0, Source::Memory) == 1);
  CHECK(count(m, 0, Source::Level1) == 2);
  CHECK(count(m, 0, Source::Level2) == 1);
  CHECK(count(m, 1, Source::TransferLevel2) == 1);
  CHECK(count(m, 2, Source::TransferPackage) == 1);
  CHECK(count(m, 3, Source::TransferPackage) == 1);
  CHECK(m.counters(0).upgrades[static_cast<std::size_t>(Reach::Package)] == Tally{1, 43});
  CHECK(m.counters(1).upgrades[static_cast<std::size_t>(Reach::Level2)] == Tally{1, 9});
}

TEST_CASE("Clean lines of the other pair come from memory, and both are shared then") {
  Machine m(quad());
  CHECK(m.access(0, A, 8, Load, 0) == 116);
  CHECK(m.access(2, A, 8, Load, 1000) == 116);
  CHECK(states(m, 1, A) == "S.S.");
  CHECK(count(m, 2, Source::Memory) == 1);
  // where clean lines are passed on, they come from there
  MachineSpec passing = quad();
  passing.passes_clean = true;
  Machine p(passing);
  p.access(0, A, 8, Load, 0);
  CHECK(p.access(2, A, 8, Load, 1000) == 254);
  CHECK(count(p, 2, Source::TransferPackage) == 1);
}

TEST_CASE("A store that misses everywhere takes the line from memory, and stalls for a part only") {
  Machine m(quad());
  CHECK(m.access(0, A, 8, Store, 0) == 50);  // 30 % of 165, 49.5
  CHECK(states(m, 1, A) == "M...");
  CHECK(m.access(1, A, 8, Store, 1000) == 18);  // 30 % of 61
  CHECK(states(m, 1, A) == ".M..");
  CHECK(m.access(2, A, 8, Store, 2000) == 76);  // 30 % of 254
  CHECK(states(m, 2, A) == "..MM");
}

TEST_CASE("Between packages a line passes both buses") {
  Machine m(two_packages());
  CHECK(m.access(0, A, 8, Store, 0) == 50);
  CHECK(m.bus_busy(0) == 18);
  CHECK(m.bus_busy(1) == 0);
  CHECK(m.access(4, A, 8, Load, 1000) == 393);  // 396 - 3
  CHECK(states(m, 1, A) == "S...S...");
  CHECK(m.bus_busy(0) == 36);
  CHECK(m.bus_busy(1) == 18);
  // a request to both: 30 % of 248
  CHECK(m.access(0, A, 8, Store, 2000) == 74);
  CHECK(m.bus_busy(0) == 46);
  CHECK(m.bus_busy(1) == 28);
  CHECK(states(m, 1, A) == "M.......");
  // inside the package only its own bus
  CHECK(m.access(2, A, 8, Load, 3000) == 254);
  CHECK(m.bus_busy(1) == 28);
  CHECK(count(m, 4, Source::TransferOtherPackage) == 1);
  CHECK(m.counters(0).upgrades[static_cast<std::size_t>(Reach::OtherPackage)].count == 1);
}

TEST_CASE("Threads of a core share its caches, and three levels meet where they first can") {
  Machine m(three_levels());
  CHECK(m.access(0, A, 8, Store, 0) == 59);  // 30 % of 200 - 4, 58.8
  CHECK(m.access(1, A, 8, Load, 500) == 0);
  CHECK(m.access(2, A, 8, Load, 1000) == 36);  // another core of its L2: 40 - 4
  CHECK(m.access(4, A, 8, Load, 2000) == 71);  // another L2, where it is modified still: 75 - 4
  CHECK(m.access(6, A, 8, Load, 2500) == 4);   // clean in its own L2: 50 % of 12 - 4
  CHECK(states(m, 1, A) == "SSSSSSSS........");
  CHECK(m.access(4, A, 8, Store, 3000) == 15);  // 30 % of 50: the L3 owns it
  CHECK(states(m, 1, A) == "....MM..........");
  CHECK(states(m, 2, A) == "....MMMM........");
  CHECK(m.counters(4).invalidated == 3);        // level 1 of three other cores
  CHECK(m.access(0, A, 8, Load, 4000) == 71);   // 75 - 4
  CHECK(m.access(8, A, 8, Load, 5000) == 296);  // the other package has one cache: 300 - 4
  CHECK(count(m, 0, Source::TransferLevel3) == 1);
  CHECK(count(m, 8, Source::TransferOtherPackage) == 1);
}

TEST_CASE("Memory of another node is remote, wherever the hole below 4 GiB puts it") {
  MachineSpec spec = three_levels();
  Machine m(spec);
  CHECK(m.access(0, 0x1000, 8, Load, 0) == 137);                 // 70 % of 200 - 4
  CHECK(m.access(0, (1 << 19) + 0x1000, 8, Load, 1000) == 228);  // 70 % of 330 - 4
  CHECK(m.access(8, 0x2000, 8, Load, 2000) == 221);              // 70 % of 320 - 4
  CHECK(count(m, 0, Source::RemoteMemory) == 1);
  spec.nodes = {{3ull << 30}, {1ull << 30}};
  spec.low_memory = 2ull << 30;
  Machine high(spec);
  high.access(0, 4ull << 30, 8, Load, 0);  // the third GiB
  CHECK(count(high, 0, Source::Memory) == 1);
  high.access(0, 5ull << 30, 8, Load, 0);  // the fourth
  CHECK(count(high, 0, Source::RemoteMemory) == 1);
}

TEST_CASE("An access over the edge of a line is two") {
  Machine m(quad());
  // 116 twice and 12; the second starts when the first is done, so that it waits for nothing
  CHECK(m.access(0, A + 60, 8, Load, 0) == 116 + 116 + 12);
  CHECK(m.access(0, A + 60, 8, Load, 1000) == 12);
  CHECK(m.access(0, A + 56, 8, Load, 1000) == 0);
  const Counters c = m.counters(0);
  CHECK(c.loads == 3);
  CHECK(c.splits == 2);
  CHECK(c.split_cycles == 24);
  CHECK(c.served[static_cast<std::size_t>(Source::Level1)].count == 3);
}

TEST_CASE("The least recently used line leaves, and a level takes those inside it along") {
  MachineSpec spec = quad();
  spec.levels[0].sets = 1, spec.levels[0].ways = 2;
  spec.levels[1].sets = 1, spec.levels[1].ways = 3;
  Machine m(spec);
  for (const std::uint64_t line : {0, 64, 0, 128}) m.access(0, line, 8, Load, 0);
  CHECK(states(m, 1, 0) == "E...");
  CHECK(states(m, 1, 64) == "....");
  CHECK(states(m, 2, 64) == "EE..");
  CHECK(m.access(0, 64, 8, Load, 0) == 6);  // 50 % of 11, 5.5
  // level 2 last saw 0 before 128 and 64: the fourth line ends it in level 2
  m.access(1, 192, 8, Store, 5000);
  CHECK(states(m, 2, 0) == "....");
  CHECK(states(m, 2, 128) == "EE..");
  CHECK(m.counters(1).back_invalidations == 0);  // it had left level 1 for 64
  CHECK(m.counters(1).writebacks == 0);
  m.access(1, 256, 8, Store, 6000);  // ends 128
  CHECK(m.counters(1).back_invalidations == 1);
  m.access(1, 320, 8, Store, 7000);  // ends 64
  m.access(1, 384, 8, Store, 8000);  // ends 192, modified
  CHECK(m.counters(1).writebacks == 1);
}

TEST_CASE("Transactions wait for the bus, and not for those of later times") {
  Machine m(quad());
  CHECK(m.access(0, A, 8, Load, 100) == 116);             // bus 100 to 118, memory 100 to 112
  CHECK(m.access(2, B, 8, Load, 100) == 116 + 13);        // bus from 118: 70 % of 18, 12.6
  CHECK(m.access(1, B + 640, 8, Load, 50) == 116);        // the past is free: 50 to 68
  CHECK(m.access(3, B + 1280, 8, Load, 90) == 116 + 32);  // until 136: 70 % of 46, 32.2
  CHECK(m.counters(2).queueing == Tally{1, 13});
  CHECK(m.bus_busy(0) == 72);
  CHECK(m.memory_busy(0) == 48);
  // a store's wait is hidden as its latency is: 30 % of 18, 5.4
  CHECK(m.access(0, A + 6400, 8, Store, 5000) == 50);
  CHECK(m.access(2, B + 6400, 8, Store, 5000) == 50 + 5);
}

TEST_CASE("With a bus of its own, a package does not wait for the other; memory they share") {
  MachineSpec spec = two_packages();
  spec.memory_line = 40;
  Machine m(spec);
  CHECK(m.access(0, A, 8, Load, 100) == 116);
  CHECK(m.access(4, B, 8, Load, 100) == 116 + 28);        // memory from 140: 70 % of 40
  CHECK(m.access(2, B + 640, 8, Load, 100) == 116 + 56);  // bus to 118, memory from 180: 70 % of 80
}

TEST_CASE("A locked operation is told apart, and devices, interrupts and halts have their costs") {
  Machine m(quad());
  CHECK(m.io(1, Device::Hpet) == 1200);
  CHECK(m.io(1, Device::LocalApic) == 80);
  CHECK(m.ipi(1) == 100);
  CHECK(m.interrupt(1) == 250);
  CHECK(m.halt_exit(1) == 1920);
  m.access(1, A, 8, Locked, 0);
  const Counters c = m.counters(1);
  CHECK(c.devices[static_cast<std::size_t>(Device::Hpet)] == Tally{1, 1200});
  CHECK(c.ipis == Tally{1, 100});
  CHECK(c.locked == 1);
  CHECK(c.locked_cycles == 20);
  CHECK(c.cycles() == 1200 + 80 + 100 + 250 + 1920 + 165 + 20);
  m.reset_counters();
  CHECK(m.counters(1) == Counters{});
  CHECK(m.access(1, A, 8, Load, 9000) == 0);  // the caches stay
}

TEST_CASE("Instructions cost by class, and fractions of a cycle are carried on") {
  Machine m(quad());
  InstructionCounts counts{};
  counts[static_cast<std::size_t>(InstructionClass::Simple)] = 3;
  counts[static_cast<std::size_t>(InstructionClass::Branch)] = 1;
  const BlockCost block = m.block_cost(counts);
  CHECK(block.instructions == 4);
  // 3 × 0.6 + 1.2 + 4 × 0.33 = 4.32 cycles
  Cycles sum = 0;
  for (int i = 0; i < 1000; ++i) sum += m.execute(0, block);
  CHECK(sum >= 4319);
  CHECK(sum <= 4320);
  CHECK(m.counters(0).instructions == 4000);
  CHECK(m.counters(0).compute == sum);
}

TEST_CASE("A machine that cannot be is refused") {
  using Catch::Matchers::Message;
  MachineSpec spec = quad();
  spec.levels[1].sets = 4095;
  CHECK_THROWS_MATCHES(Machine(spec), std::invalid_argument, Message("level 2: the sets are no power of two"));
  spec = quad();
  spec.levels[1].cpus = 3;
  CHECK_THROWS_MATCHES(Machine(spec), std::invalid_argument, Message("level 2: its CPUs do not divide a package's"));
  spec = quad();
  spec.mhz = 0;
  CHECK_THROWS_MATCHES(Machine(spec), std::invalid_argument, Message("no clock"));
  spec = quad();
  spec.memory = {{168, 168}};
  CHECK_THROWS_MATCHES(Machine(spec), std::invalid_argument, Message("no memory latency for each pair of NUMA nodes"));
}

TEST_CASE("What a device writes lands in memory, and every cache loses the line") {
  Machine m(two_packages());
  m.access(0, A, 8, Store, 1000);
  m.access(4, B, 8, Load, 2000);
  m.dma(A + 8, true, 3000);
  m.dma(B, true, 3100);
  CHECK(states(m, 1, A) == "........");
  CHECK(states(m, 2, A) == "........");
  CHECK(states(m, 1, B) == "........");
  CHECK(m.dma_counters() == DmaCounters{.reads = 0, .writes = 2, .written_back = 1, .invalidated = 2});
  // from memory: 70 % of 168 - 3
  CHECK(m.access(0, A, 8, Load, 9000) == 116);
}

TEST_CASE("What a device reads stays where it was, shared, and what was modified goes out to memory") {
  Machine m(two_packages());
  m.access(0, A, 8, Store, 1000);
  m.dma(A, false, 3000);
  CHECK(states(m, 1, A) == "S.......");
  CHECK(m.dma_counters() == DmaCounters{.reads = 1, .writes = 0, .written_back = 1, .invalidated = 0});
  CHECK(m.access(0, A, 8, Load, 5000) == 0);
  // a second reading finds nothing modified
  m.dma(A, false, 6000);
  CHECK(m.dma_counters().written_back == 1);
}

TEST_CASE("Where devices update caches, the copies that there are stay, and none is made") {
  MachineSpec spec = two_packages();
  spec.dma_updates = true;
  Machine m(spec);
  m.access(0, A, 8, Store, 1000);
  m.dma(A, true, 3000);
  m.dma(B, true, 3100);
  CHECK(m.access(0, A, 8, Load, 5000) == 0);
  CHECK(states(m, 2, B) == "........");
}

TEST_CASE("A device takes buses and memory from the CPUs, which pay for waiting alone") {
  Machine m(quad());
  m.access(0, B, 8, Store, 0);
  const Cycles calm = Machine(quad()).access(1, A, 8, Load, 5000);
  m.dma(B, true, 5000);  // the modified line crosses the bus: 18 cycles
  const Cycles waits = m.access(1, A, 8, Load, 5000);
  // 18 for the bus, then no more for memory, which is free again by then; 70 % of them stall
  CHECK(waits == calm + 13);
}
