// SPDX-License-Identifier: GPL-2.0-or-later
// How fast the modelled machine is by itself, without QEMU: CPU time for streams of accesses and
// blocks as a kernel's network code has them (0.4 accesses an instruction, nearly all in level 1).
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include "rig/model/clocks.h"
#include "rig/model/machine.h"

using namespace rig::model;

namespace {

MachineSpec q6600() {
  MachineSpec s;
  s.mhz = 2400;
  s.cpus = s.cpus_per_package = 4;
  s.levels = {{64, 8, 1, 3, 3, 0}, {4096, 16, 2, 14, 64, 30}};
  s.package = {257, 144};
  s.nodes = {{std::uint64_t{1} << 30}};
  s.node_of_cpu = {0, 0, 0, 0};
  s.memory = {{168}};
  s.bus_line = s.bus_request = 18;
  s.memory_line = 12;
  s.millicycles.fill(600);
  return s;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Access {
  std::uint64_t address;
  AccessKind kind;
};

// Accesses of one vCPU: a stack and some structures, now and then something else.
std::vector<Access> stream(unsigned cpu, unsigned per_mille_shared, unsigned per_mille_far) {
  std::mt19937 random(cpu + 1);
  std::vector<Access> accesses(1u << 16);
  for (auto& access : accesses) {
    const unsigned dice = static_cast<unsigned>(random() % 1000);
    const std::uint64_t own = (std::uint64_t{cpu} << 24) + random() % 20480;
    access.address = dice < per_mille_shared                   ? (1u << 28) + random() % 8192
                     : dice < per_mille_shared + per_mille_far ? (1u << 29) + random() % (64u << 20)
                                                               : own;
    access.address &= ~std::uint64_t{7};
    access.kind = random() % 3 == 0 ? AccessKind::Store : AccessKind::Load;
  }
  return accesses;
}

void run(const char* what, unsigned per_mille_shared, unsigned per_mille_far) {
  Machine machine(q6600());
  Clocks clocks(4, 24000);
  for (unsigned cpu = 1; cpu < 4; ++cpu) clocks.wake(cpu, 0);
  std::vector<std::vector<Access>> streams;
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    streams.push_back(stream(cpu, per_mille_shared, per_mille_far));
    clocks.resume(cpu, 0);
  }
  InstructionCounts counts{};
  counts[0] = 5;
  const BlockCost block = machine.block_cost(counts);
  std::vector<std::size_t> at(4, 0);
  std::uint64_t accesses = 0, instructions = 0, turns = 0;
  const double begin = cpu_seconds();
  for (unsigned cpu = 0; accesses < 40000000; cpu = (cpu + 1) % 4, ++turns) {
    const auto& own = streams[cpu];
    for (;;) {  // a block of five instructions and two accesses
      const Cycles compute = machine.execute(cpu, block);
      bool ask = clocks.advance(cpu, compute);
      for (int i = 0; i < 2; ++i) {
        const Access& access = own[at[cpu]++ & (own.size() - 1)];
        const Cycles stall = machine.access(cpu, access.address, 8, access.kind, clocks.now(cpu));
        if (stall != 0) ask = clocks.advance(cpu, stall) || ask;
      }
      accesses += 2;
      instructions += 5;
      if (ask && clocks.must_yield(cpu)) break;
    }
  }
  const double seconds = cpu_seconds() - begin;
  std::uint64_t level1 = 0;
  for (unsigned cpu = 0; cpu < 4; ++cpu) level1 += machine.counters(cpu).served[0].count;
  std::printf("%-34s %5.1f %% in level 1  %6.1f ns an access  %6.1f million instructions a second  %llu turns\n", what,
              100.0 * static_cast<double>(level1) / static_cast<double>(accesses),
              seconds * 1e9 / static_cast<double>(accesses), static_cast<double>(instructions) / seconds / 1e6,
              static_cast<unsigned long long>(turns));
}

}  // namespace

int main() {
  run("level 1 only", 0, 0);
  run("a little sharing", 10, 2);
  run("much sharing", 60, 5);
  run("memory-bound", 10, 100);
}
