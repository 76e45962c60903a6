// SPDX-License-Identifier: GPL-2.0-or-later
// What an old kernel understands otherwise of rig's command line.
#pragma once
#include <string>

#include "rig/plan/plan.h"

namespace rig {

// The command line for a kernel of this release, in emulation in real time (elsewhere it stays as it is, and so
// do figures). Before Linux 2.6.28 no_timer_check made an x86_64 kernel disbelieve the timer's interrupt, and
// go through the 8259 to the local APIC; and there each CPU that comes up waits for the HPET to pass its
// comparator: on a busy host it has passed, and comes again after 43 s.
std::string cmdline_for(std::string cmdline, const std::string& release, Accelerator accelerator);

}  // namespace rig
