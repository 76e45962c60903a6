// SPDX-License-Identifier: GPL-2.0-or-later
// The machine: caches with MESI coherence, buses and memories with queues, costs of instructions and
// devices. It knows no time of its own: callers pass a vCPU's clock and add what comes back to it.
// Not thread-safe. Nothing is allocated after construction. CPU numbers are the caller's to keep
// below the spec's; sizes of accesses are 1 to one line.
//
// Coherence. Inclusive levels; a line modified or exclusive in an inner cache is modified or
// exclusive in those around it. A level's state speaks for all inside it towards all outside. Core 2's
// L2 is not strictly inclusive (CPUID leaf 4 says so); here it is, since with 4 MiB around 64 KiB the
// difference is only in lines that stay hot in L1 and are never asked from L2: back_invalidations
// counts them. Outermost caches snoop each other. A modified line passes from cache to cache and both
// ends keep it shared; a clean one comes from memory, as on the front-side bus.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rig/model/bus.h"
#include "rig/model/cache_array.h"
#include "rig/model/counters.h"
#include "rig/model/machine_spec.h"

namespace rig::model {

enum class AccessKind : std::uint8_t { Load, Store, Locked };

// Instructions of a translated block, by class.
using InstructionCounts = std::array<std::uint16_t, class_count>;

// What one execution of a block costs, worked out once at its translation.
struct BlockCost {
  std::uint32_t instructions = 0;
  std::uint32_t fixed = 0;  // 1/1024 cycle
};

class Machine {
 public:
  // Throws std::invalid_argument where fault(spec) says something.
  explicit Machine(const MachineSpec& spec);
  Machine(Machine&&) = default;
  Machine& operator=(Machine&&) = default;
  const MachineSpec& spec() const { return spec_; }

  // One access to RAM by a vCPU whose clock is `now`: the cycles that it stalls beyond the
  // instruction's own. A locked instruction is one access of kind Locked, not a load and a store.
  Cycles access(unsigned cpu, std::uint64_t physical_address, unsigned size, AccessKind kind, Cycles now) {
    Cpu& c = cpus_[cpu];
    const Line line = physical_address >> line_shift_;
    // the predicted way, right for nearly all accesses
    const Slot slot = c.predicted[line & (predictions - 1)];
    const std::uint64_t state = c.level1->state_if(slot, line);
    const bool hit = kind == AccessKind::Load ? state - 1 < 3 : state == std::uint64_t(State::Modified);
    if (hit && (physical_address & line_mask_) + size <= line_mask_ + 1 && kind != AccessKind::Locked) [[likely]] {
      c.level1->touch(slot);
      ++*(kind == AccessKind::Load ? &c.counters.loads : &c.counters.stores);
      return 0;
    }
    return slow_access(cpu, physical_address, size, kind, now);
  }

  BlockCost block_cost(const InstructionCounts& counts) const;
  // One execution of a block. Fractions of a cycle are carried to the vCPU's next.
  Cycles execute(unsigned cpu, BlockCost block) {
    Cpu& c = cpus_[cpu];
    c.counters.instructions += block.instructions;
    const std::uint64_t sum = c.fraction + block.fixed;
    c.fraction = sum & 1023;
    c.counters.compute += sum >> 10;
    return sum >> 10;
  }

  // A device reads or writes a line of memory; no vCPU waits for it, but buses and memory are taken.
  // What it writes lands in memory and no cache keeps a copy (or, with spec().dma_updates, the copies
  // that there are stay and are right); what a cache has modified is written back for it to read.
  void dma(std::uint64_t physical_address, bool writes, Cycles now);
  const DmaCounters& dma_counters() const { return dma_; }

  Cycles io(unsigned cpu, Device device);
  // The sender's cost beyond io(LocalApic); spec().ipi_delivery later the interrupt is there.
  Cycles ipi(unsigned cpu);
  Cycles interrupt(unsigned cpu);
  Cycles halt_exit(unsigned cpu);

  // Level-1 hits are worked out here, from what was not served elsewhere.
  Counters counters(unsigned cpu) const;
  void reset_counters();  // caches and queues stay as they are
  Cycles bus_busy(unsigned package) const { return buses_[package].busy(); }
  Cycles memory_busy(unsigned node) const { return memories_[node].busy(); }

  // A line's state in the instance of a level (1…) that a CPU uses; for tests and checks.
  State state(unsigned level, unsigned cpu, std::uint64_t physical_address) const;

 private:
  static constexpr std::size_t predictions = 1024;
  struct Cpu {
    CacheArray* level1 = nullptr;
    std::uint64_t fraction = 0;  // 1/1024 cycle
    Counters counters;
    std::array<Slot, predictions> predicted{};
  };
  struct Request {
    unsigned cpu;
    Line line;
    AccessKind kind;
    Cycles now;
    Cycles cost = 0;
    bool writes() const { return kind != AccessKind::Load; }
  };

  Cycles slow_access(unsigned cpu, std::uint64_t address, unsigned size, AccessKind kind, Cycles now);
  void serve(Request& request);
  void serve_inside(Request& request, std::size_t level, Slot slot);
  void serve_outside(Request& request);
  void upgrade(Request& request, std::size_t from);
  void fill(Request& request, std::size_t below, State state);
  void evict(Request& request, std::size_t level, Slot slot);
  void own_path(const Request& request);
  void charge(Request& request, Tally& tally, Cycles cycles, std::uint32_t exposed);
  void charge_wait(Request& request, Cycles wait, std::uint32_t exposed);
  void charge_source(Request& request, Source source, Cycles latency, std::uint32_t exposed_load, Cycles wait);

  // What the outermost caches but the CPU's own hold of a line.
  struct Elsewhere {
    bool any = false, modified = false;
    unsigned package = 0;        // of the copy that would be passed on
    std::uint64_t packages = 0;  // bit set: those with a copy, but for the CPU's own
  };
  Elsewhere look_elsewhere(const Request& request) const;
  // Takes the CPU's bus, then those of the other packages at once; the wait for the slowest.
  Cycles wait_for_buses(const Request& request, Cycles own, const Elsewhere& elsewhere, bool passed_on);

  CacheArray& cache(std::size_t level, unsigned instance) { return caches_[level][instance]; }
  unsigned instance(std::size_t level, unsigned cpu) const { return cpu / spec_.levels[level].cpus; }
  unsigned package(unsigned cpu) const { return cpu / spec_.cpus_per_package; }
  bool one_cache_a_package() const { return spec_.levels.back().cpus == spec_.cpus_per_package; }
  std::size_t node_of(Line line) const;

  // Each with all caches inside the instance; copies lost in the innermost of them.
  unsigned invalidate(std::size_t level, unsigned instance, Line line);
  unsigned invalidate_inside(std::size_t level, unsigned instance, Line line, unsigned except);
  void share(std::size_t level, unsigned instance, Line line);  // M and E become S

  MachineSpec spec_;
  unsigned line_shift_ = 6;
  std::uint64_t line_mask_ = 63;
  std::vector<Cpu> cpus_;
  std::vector<std::vector<CacheArray>> caches_;  // by level from 0, by instance
  std::vector<Bus> buses_;                       // by package
  std::vector<Bus> memories_;                    // by node
  std::vector<std::uint64_t> node_end_;          // in RAM, bytes
  DmaCounters dma_;
};

}  // namespace rig::model
