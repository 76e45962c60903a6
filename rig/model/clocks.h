// SPDX-License-Identifier: GPL-2.0-or-later
// Time: a clock for each vCPU in cycles, and the guest's virtual time made of them.
// Not thread-safe: QEMU runs all vCPUs on one thread, one after the other.
#pragma once
#include <cstdint>
#include <vector>

#include "rig/model/machine_spec.h"

namespace rig::model {

// A vCPU is busy, halted, or woken: halted, with an event on its way to it, and not run since.
enum class CpuState : std::uint8_t { Busy, Halted, Woken };

class Clocks {
 public:
  // quantum: how far a vCPU may run ahead of the slowest before it must yield.
  // All start at `start`; CPU 0 busy, the others halted.
  Clocks(unsigned cpus, Cycles quantum, Cycles start = 0);

  unsigned cpus() const { return static_cast<unsigned>(now_.size()); }
  Cycles now(unsigned cpu) const { return now_[cpu]; }
  CpuState state(unsigned cpu) const { return state_[cpu]; }

  // The running vCPU spends so many cycles. True: it may have to yield (ask must_yield).
  bool advance(unsigned cpu, Cycles cycles) {
    now_[cpu] += cycles;
    return now_[cpu] > check_at_[cpu];
  }
  // Whether the vCPU is more than a quantum ahead of the slowest that is busy or woken. Asked again
  // only an eighth of a quantum later where QEMU does not obey at once.
  bool must_yield(unsigned cpu);

  // The vCPU executes hlt.
  void halt(unsigned cpu);
  // An event reaches a vCPU at `when` (the waker's clock, and the delivery's time). The earliest counts;
  // no effect on a busy one.
  void wake(unsigned cpu, Cycles when);
  // A vCPU that was not busy executes: it resumes at its own time or the event's, whichever is later,
  // plus exit_cost. Gives the cycles that it was idle, exit_cost not among them; 0 where it was busy.
  Cycles resume(unsigned cpu, Cycles exit_cost);
  // All are idle and the next timer is so far away: time jumps there.
  void skip(Cycles cycles);

  // Virtual time: the slowest of those busy or woken, the fastest of all where none is. Never goes
  // back. A woken vCPU that does not run although others have passed its event by more than four
  // quanta counts as halted, so that an event without effect cannot stop time.
  Cycles virtual_now();
  Cycles idle(unsigned cpu) const { return idle_[cpu]; }  // in all
  std::uint64_t yields() const { return yields_; }        // answers "must yield" in all
  void reset_counters();

 private:
  Cycles slowest() const;
  void check_all();

  Cycles quantum_;
  Cycles shown_ = 0;
  std::uint64_t yields_ = 0;
  std::vector<Cycles> now_, woken_at_, idle_;
  std::vector<Cycles> check_at_;  // a vCPU below this need not ask must_yield
  std::vector<CpuState> state_;
};

}  // namespace rig::model
