// SPDX-License-Identifier: GPL-2.0-or-later
// Random traces: against the naive reference, and the laws that any trace must keep.
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/unit/model/machines.h"
#include "tests/unit/model/reference.h"

using namespace rig::model;
using namespace rig::model::test;

namespace {

// Three packages of one cache each, with clean lines passed on and everything exposed to odd parts.
MachineSpec three_packages() {
  MachineSpec s = two_packages();
  s.name = "three-packages";
  s.cpus = 12;
  s.levels[1].cpus = 4;
  s.node_of_cpu.assign(12, 0);
  s.passes_clean = true;
  s.exposed_transfer = 83;
  s.exposed_hit = 37;
  return s;
}

std::vector<MachineSpec> machines() {
  MachineSpec one_level = quad();
  one_level.name = "one-level";
  one_level.levels.resize(1);
  MachineSpec passing = two_packages();
  passing.name = "two-packages-passing";
  passing.passes_clean = true;
  MachineSpec updating = two_packages();
  updating.name = "two-packages-updating";
  updating.dma_updates = true;
  return {tiny(updating),       quad(),         tiny(quad()),           two_packages(),
          tiny(two_packages()), tiny(passing),  tiny(three_packages()), three_levels(),
          tiny(three_levels()), tiny(one_level)};
}

struct Access {
  unsigned cpu;
  std::uint64_t address;
  unsigned size;
  AccessKind kind;
};

// Few lines, so that CPUs meet; some accesses over an edge.
class Trace {
 public:
  Trace(const MachineSpec& spec, unsigned seed, unsigned lines) : spec_(spec), random_(seed), lines_(lines) {}
  Access next() {
    Access access;
    access.cpu = pick(spec_.cpus);
    // neighbours in set and page, and the second node's memory
    access.address = std::uint64_t{pick(lines_)} * spec_.line + (pick(3) == 0 ? (1u << 19) : 0) + pick(8) * 8;
    access.size = 1u << pick(4);
    if (pick(20) == 0) access.address += 4;
    const unsigned kind = pick(20);
    access.kind = kind < 12 ? AccessKind::Load : kind < 19 ? AccessKind::Store : AccessKind::Locked;
    return access;
  }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

 private:
  const MachineSpec& spec_;
  std::mt19937 random_;
  unsigned lines_;
};

// Clocks of CPUs that keep within a quantum of each other, as in a run.
class Times {
 public:
  explicit Times(unsigned cpus) : now_(cpus, 0) {}
  Cycles& of(unsigned cpu) {
    const Cycles last = *std::max_element(now_.begin(), now_.end());
    if (now_[cpu] + 3000 < last) now_[cpu] = last - 3000;
    return now_[cpu];
  }

 private:
  std::vector<Cycles> now_;
};

}  // namespace

TEST_CASE("Random traces give the cycles, states and counters of the naive reference") {
  for (const MachineSpec& spec : machines()) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      INFO(spec.name << ", " << spec.levels[0].sets << " sets, seed " << seed);
      Machine machine(spec);
      Reference reference(spec);
      Trace trace(spec, seed, 24);
      Times times(spec.cpus);
      for (int i = 0; i < 3000; ++i) {
        const Access a = trace.next();
        Cycles& now = times.of(a.cpu);
        if (trace.pick(10) == 0) {  // a device, now and then
          const Access other = trace.next();
          machine.dma(other.address, other.kind != AccessKind::Load, now);
          reference.dma(other.address, other.kind != AccessKind::Load, now);
        }
        const Cycles cost = machine.access(a.cpu, a.address, a.size, a.kind, now);
        REQUIRE(cost == reference.access(a.cpu, a.address, a.size, a.kind, now));
        now += cost + trace.pick(60);
        for (unsigned level = 1; level <= spec.levels.size(); ++level) {
          for (unsigned cpu = 0; cpu < spec.cpus; ++cpu) {
            REQUIRE(machine.state(level, cpu, a.address) == reference.state(level, cpu, a.address));
          }
        }
      }
      for (unsigned cpu = 0; cpu < spec.cpus; ++cpu) CHECK(machine.counters(cpu) == reference.counters(cpu));
      CHECK(machine.dma_counters() == reference.dma_counters());
    }
  }
}

TEST_CASE("Counters add up: every line served once, and all cycles accounted for") {
  for (const MachineSpec& spec : machines()) {
    Machine machine(spec);
    Trace trace(spec, 42, 40);
    std::vector<Cycles> returned(spec.cpus, 0);
    std::vector<std::uint64_t> lines(spec.cpus, 0);
    for (int i = 0; i < 20000; ++i) {
      const Access a = trace.next();
      returned[a.cpu] += machine.access(a.cpu, a.address, a.size, a.kind, static_cast<Cycles>(i) * 50);
      lines[a.cpu] += (a.address + a.size - 1) / spec.line - a.address / spec.line + 1;
    }
    for (unsigned cpu = 0; cpu < spec.cpus; ++cpu) {
      const Counters c = machine.counters(cpu);
      std::uint64_t served = 0;
      for (const auto& tally : c.served) served += tally.count;
      CHECK(served == lines[cpu]);
      CHECK(c.loads + c.stores + c.locked + c.splits == lines[cpu]);
      CHECK(c.cycles() == returned[cpu]);
    }
  }
}

TEST_CASE("At any time one writer or many readers, and outer caches hold what inner ones do") {
  for (const MachineSpec& spec : machines()) {
    Machine machine(spec);
    Trace trace(spec, 9, 24);
    for (int i = 0; i < 5000; ++i) {
      const Access a = trace.next();
      machine.access(a.cpu, a.address, a.size, a.kind, static_cast<Cycles>(i) * 50);
      if (i % 10 != 0) continue;
      for (std::uint64_t address = 0; address < 24u * spec.line; address += spec.line) {
        for (unsigned level = 1; level <= spec.levels.size(); ++level) {
          unsigned owners = 0, holders = 0;
          for (unsigned cpu = 0; cpu < spec.cpus; cpu += spec.levels[level - 1].cpus) {
            const State state = machine.state(level, cpu, address);
            holders += state != State::Invalid ? 1 : 0;
            owners += state >= State::Exclusive ? 1 : 0;
            if (level == spec.levels.size() || state == State::Invalid) continue;
            const State around = machine.state(level + 1, cpu, address);
            REQUIRE(around != State::Invalid);
            if (state >= State::Exclusive) REQUIRE(around >= state);
          }
          REQUIRE((owners == 0 || (owners == 1 && holders == 1)));
        }
      }
    }
  }
}

TEST_CASE("Swapping the two dies, or the two packages, or the cores of a pair, changes nothing") {
  struct Case {
    MachineSpec spec;
    unsigned swap;  // the bit of the CPU number that is turned round
  };
  for (const Case& item : {Case{quad(), 2}, Case{quad(), 1}, Case{tiny(quad()), 2}, Case{two_packages(), 4},
                           Case{tiny(two_packages()), 2}, Case{tiny(two_packages()), 4}}) {
    Machine one(item.spec), other(item.spec);
    Trace trace(item.spec, 17, 30);
    for (int i = 0; i < 20000; ++i) {
      const Access a = trace.next();
      const Cycles now = static_cast<Cycles>(i) * 30;
      REQUIRE(one.access(a.cpu, a.address, a.size, a.kind, now) ==
              other.access(a.cpu ^ item.swap, a.address, a.size, a.kind, now));
    }
    for (unsigned cpu = 0; cpu < item.spec.cpus; ++cpu) CHECK(one.counters(cpu) == other.counters(cpu ^ item.swap));
  }
}

TEST_CASE("With all distances equal and no queues, it does not matter where two ends sit") {
  MachineSpec spec = two_packages();
  const Cycles same = 50;
  spec.levels[1].latency = spec.levels[1].transfer = same;
  spec.levels[1].upgrade = same;
  spec.package = spec.other_package = {same, same};
  spec.memory = {{same}};
  spec.bus_line = spec.bus_request = spec.memory_line = 0;
  spec.exposed_hit = spec.exposed_memory = spec.exposed_transfer;  // all of it
  // two ends that write each other's lines, and some of their own
  const auto cycles = [&](unsigned other) {
    Machine machine(spec);
    std::mt19937 random(23);
    Cycles sum = 0;
    for (int i = 0; i < 200000; ++i) {
      const bool second = random() % 2 == 0, writes = random() % 3 == 0, common = random() % 4 == 0;
      const std::uint64_t line = random() % 64 + (common ? 0 : second ? 1000 : 2000);
      sum += machine.access(second ? other : 0, line * 64, 8, writes ? AccessKind::Store : AccessKind::Load, 0);
    }
    return static_cast<double>(sum);
  };
  const double near = cycles(1), package = cycles(2), far = cycles(4);
  CHECK(package / near > 0.98);
  CHECK(package / near < 1.02);
  CHECK(far == package);
}
