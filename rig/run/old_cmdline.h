// SPDX-License-Identifier: GPL-2.0-or-later
// What an old kernel understands otherwise of rig's command line, and does worse.
#pragma once
#include <string>

#include "rig/plan/plan.h"

namespace rig {

// The command line for a kernel of this release, in emulation in real time (elsewhere it stays as it is, and so
// do figures). Before Linux 2.6.28 no_timer_check made an x86_64 kernel disbelieve the timer's interrupt, and
// go through the 8259 to the local APIC; and there each CPU that comes up waits for the HPET to pass its
// comparator: on a busy host it has passed, and comes again after 43 s. Then the kernel tries the timer for ten ticks,
// which on a busy host may not come in time; it gives the timer up, and hangs. So its delays are made ten times as
// long (lpj, the turns of its delay loop in a tick, which are the TSC's). Their console begins late, after the drivers:
// an early one tells from the start that a slow boot goes on.
std::string cmdline_for(std::string cmdline, const std::string& release, Accelerator accelerator);

// Linux 2.6 on several CPUs of a loaded host misses interrupts of its serial port, and sends nothing any more (seen
// on 2.6.22: one boot in six). Its results are then written to the port without the kernel's driver. In virtual time
// a missed interrupt comes again in a tenth of a second, and figures stay as they are.
bool misses_serial_interrupts(const std::string& release, Accelerator accelerator);

}  // namespace rig
