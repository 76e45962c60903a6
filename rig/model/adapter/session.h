// SPDX-License-Identifier: GPL-2.0-or-later
// One run of the model: the machine, the guest's time, the regions of interest and their reports.
// Knows nothing of QEMU but the numbers of its vCPUs and what its clock says.
#pragma once
#include <cstdint>
#include <string>

#include "rig/model/adapter/guest_time.h"
#include "rig/model/machine.h"
#include "rig/model/report.h"

namespace rig::model {

class Session {
 public:
  // spec_sha256: of the spec's text. present: CPUs that the guest has, of those that the machine has room for
  // (0: all). Throws std::invalid_argument as Machine does.
  Session(const MachineSpec& spec, std::string spec_sha256, Cycles quantum, unsigned present = 0);

  Machine& machine() { return machine_; }
  GuestTime& time() { return time_; }
  const ModelReport& report() const { return report_; }

  // Regions -------------------------------------------------------------------------------------------
  void begin(unsigned cpu, std::int64_t icount_ns, std::int64_t warps_ns);
  void count();  // the counters begin again
  // The region's report is complete: what still executes before leave() is not counted.
  void close(bool cut);
  void leave(std::int64_t icount_ns) { time_.end(icount_ns); }
  void note_exit() { report_.exited = true; }

  // What executes; true: the vCPU must yield ------------------------------------------------------------
  bool block(unsigned cpu, BlockCost cost) {
    if (!time_.busy(cpu)) [[unlikely]]
      resume(cpu);
    return spend(cpu, machine_.execute(cpu, cost));
  }
  void access(unsigned cpu, std::uint64_t address, unsigned size, AccessKind kind) {
    if (const Cycles stall = machine_.access(cpu, address, size, kind, time_.now(cpu))) time_.advance(cpu, stall);
  }
  void device(unsigned cpu, Device device) { time_.advance(cpu, machine_.io(cpu, device)); }
  void send_interrupt(unsigned cpu) { time_.advance(cpu, machine_.ipi(cpu)); }
  void take_interrupt(unsigned cpu) { time_.advance(cpu, machine_.interrupt(cpu)); }
  // A device reads or writes the line of memory at `address`.
  void dma(std::uint64_t address, bool writes, Cycles now) { machine_.dma(address, writes, now); }
  // An interrupt that one vCPU sends to another is there when its delivery is over.
  void wake_by(unsigned sender, unsigned cpu) { time_.wake(cpu, time_.now(sender) + machine_.spec().ipi_delivery); }

 private:
  bool spend(unsigned cpu, Cycles cycles) { return time_.advance(cpu, cycles) && time_.must_yield(cpu); }
  void resume(unsigned cpu);

  Machine machine_;
  GuestTime time_;
  ModelReport report_;
  RegionReport region_;
};

}  // namespace rig::model
