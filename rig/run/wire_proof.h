// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a card's interrupts, and the work of receiving that follows them, were on the CPU asked for: pure,
// from the frames that the agent sends round each step (rig/guest/PROTOCOL.md).
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "rig/vm/vm.h"

namespace rig {

// A sample counts only where at least so much was on target.
inline constexpr double least_on_target = 0.99;

struct OnTarget {
  std::int64_t total = 0, on_target = 0;
  double share() const { return total == 0 ? 0 : static_cast<double>(on_target) / static_cast<double>(total); }
  bool holds() const { return total > 0 && share() >= least_on_target; }
};

struct WireProof {
  OnTarget interrupts;  // of the card
  // NET_RX soft interrupts by /proc/softirqs or, before Linux 2.6.31, packets by /proc/net/softnet_stat.
  OnTarget received;
  std::string fault;  // why it does not hold, empty where it does
};

// What was on this CPU between the step's two snapshots; nothing where a frame is missing or not in the
// kernel's form. other: a CPU that takes the interrupts of another card of this guest, which are left out; -1:
// there is none.
std::optional<WireProof> prove_wire(const ResultStream& results, const std::string& step, int interrupt_cpu,
                                    int other = -1);

// How often between the step's two snapshots other CPUs had this one do something (CAL, function calls, and RES,
// rescheduling): a process is woken so from another CPU, once a round trip, and never from its own. Nothing where
// the kernel does not count them (2.6.22 for one), or a frame is missing.
std::optional<std::int64_t> calls_to(const ResultStream& results, const std::string& step, int cpu);

}  // namespace rig
