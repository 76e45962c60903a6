// SPDX-License-Identifier: GPL-2.0-or-later
// The self-test: a guest of a few seconds that shows whether this host's QEMU lets the guest's time
// follow the model. The guest is any x86-64 Linux kernel and an initramfs whose /init is
// build/guest/rig-selftest; it needs no agent and no network. What it must measure is worked out here
// from the machine alone.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "rig/model/machine_spec.h"
#include "rig/model/report.h"

namespace rig::model {

// The self-test's own arguments, which follow " -- " on the kernel's command line: sizes of the chains
// that it walks, by the machine's caches, and a CPU at each distance from CPU 0.
std::vector<std::string> selftest_arguments(const MachineSpec& spec);

struct SelftestCheck {
  std::string what;  // "a load that hits level 2, cycles"
  double measured = 0, expected = 0, tolerance = 0;
  bool good() const { return measured >= expected - tolerance && measured <= expected + tolerance; }
};

struct SelftestVerdict {
  std::vector<SelftestCheck> checks;
  std::string fault;  // why there are no checks, or not all; empty where there are
  bool good() const;
};

// `console`: the guest's serial console; `report`: what the plug-in wrote.
SelftestVerdict judge_selftest(const MachineSpec& spec, std::string_view console, const ModelReport& report);

}  // namespace rig::model
