// SPDX-License-Identifier: GPL-2.0-or-later
// The guest's time, outside the region of interest (QEMU's own virtual time) and inside (the vCPUs'
// clocks), as one that never stops, jumps or goes back. Knows nothing of QEMU; times in nanoseconds
// come from its icount, whose warps are what it added while all vCPUs were idle.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "rig/model/clocks.h"

namespace rig::model {

class GuestTime {
 public:
  GuestTime(unsigned cpus, std::uint32_t mhz, Cycles quantum);

  bool modelled() const { return clocks_.has_value(); }
  // From now on the clocks count, from this moment on: `cpu` runs, of the others nothing is known.
  void begin(unsigned cpu, std::int64_t icount_ns, std::int64_t warps_ns);
  // From now on QEMU's time counts again, from the fastest clock on.
  void end(std::int64_t icount_ns);

  // What QEMU_CLOCK_VIRTUAL shows, in nanoseconds, and what rdtsc reads, in cycles.
  std::int64_t plain_ns(std::int64_t icount_ns) const { return icount_ns + offset_ns_; }
  Cycles plain_ticks(std::int64_t icount_ns) const { return to_cycles(icount_ns + offset_ns_); }
  std::int64_t modelled_ns();
  Cycles modelled_ticks(unsigned cpu) const { return clocks_->now(cpu); }

  // While modelled: --------------------------------------------------------------------------------
  Cycles now(unsigned cpu) const { return clocks_->now(cpu); }
  bool advance(unsigned cpu, Cycles cycles) { return clocks_->advance(cpu, cycles); }
  bool must_yield(unsigned cpu) { return clocks_->must_yield(cpu); }
  bool busy(unsigned cpu) const { return clocks_->state(cpu) == CpuState::Busy; }
  void halt(unsigned cpu) { clocks_->halt(cpu); }
  // An event that reaches a vCPU at `when`, be it idle or not: one that halts before `when` without
  // another event resumes then.
  void wake(unsigned cpu, Cycles when);
  // An event of a device or timer: it comes now.
  void wake_now(unsigned cpu) { wake(cpu, clocks_->virtual_now()); }
  // Of what a device does by itself.
  Cycles device_now() { return clocks_->virtual_now(); }
  // A vCPU that was not busy executes. True: it had been halted (its exit is then to be charged).
  bool resume(unsigned cpu);
  // QEMU has found every vCPU idle.
  void all_idle();
  // QEMU's warps so far: time jumps by what is new.
  void note_warps(std::int64_t warps_ns);

  // Counting -----------------------------------------------------------------------------------------
  void reset_counters();
  // Idle vCPUs wait until the fastest clock.
  void close_counters();
  Cycles elapsed(unsigned cpu) const { return clocks_->now(cpu) + idle_at_end_[cpu] - counted_from_[cpu]; }
  Cycles idle(unsigned cpu) const { return clocks_->idle(cpu) + idle_at_end_[cpu]; }
  std::uint64_t yields() const { return clocks_->yields(); }

  // Rounds down; to_ns(to_cycles_up(ns)) >= ns.
  std::int64_t to_ns(Cycles cycles) const;
  Cycles to_cycles(std::int64_t ns) const;
  Cycles to_cycles_up(std::int64_t ns) const;

 private:
  unsigned cpus_;
  std::uint32_t mhz_;
  Cycles quantum_;
  std::optional<Clocks> clocks_;
  std::int64_t offset_ns_ = 0;   // of plain time to QEMU's
  std::int64_t shown_ns_ = 0;    // the latest that was shown while modelled
  std::int64_t warps_ns_ = 0;    // taken into account
  std::vector<bool> known_;      // has executed or been woken since the region's begin
  std::vector<Cycles> pending_;  // the latest event that came to a busy vCPU
  std::vector<Cycles> counted_from_, idle_at_end_;
};

}  // namespace rig::model
