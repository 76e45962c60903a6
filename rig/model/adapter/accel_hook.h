// SPDX-License-Identifier: GPL-2.0-or-later
// Puts functions of ours into QEMU's table of accelerator operations, so that the guest's time is ours.
//
// Threads. QEMU runs every vCPU on one thread; its main thread does the rest under the big lock, also
// QEMU's timers and the jumps of an idle guest's time. It must do neither but while the vCPU thread
// sleeps: when exactly it comes to do so depends on the host. So the main thread is shown a clock that
// stands still, and vCPUs that are not idle, until the vCPU thread has found all vCPUs idle and sleeps;
// all timers of a busy guest are left to the vCPU thread, which looks after them by itself.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rig/model/adapter/qemu_symbols.h"
#include "rig/model/adapter/session.h"

namespace rig::model {

// On the vCPU thread, before the first instruction. What stands in the way, in words; empty: it is
// done. `session` and `symbols` live as long as QEMU does.
std::string hook_accelerator(Session& session, const QemuSymbols& symbols);

// On the vCPU thread: the vCPU that runs. (The index that QEMU gives to callbacks is that of the vCPU
// for which the block was translated.)
unsigned running_vcpu();
// The running vCPU executes guest code, so that what happens now happens at its time.
void note_execution();
// A device accesses the line of memory at `address`: at the time of the vCPU that asked it to, or at that of
// devices. Nothing outside the region of interest.
void note_dma(std::uint64_t address, bool writes);
// Makes the running vCPU leave its slice at its next block.
void yield_running_vcpu();

// Begins and ends the model's time, with no vCPU running.
void enter_model(unsigned cpu);
void leave_model();

}  // namespace rig::model
