// SPDX-License-Identifier: GPL-2.0-or-later
// What each word does: the kernel's Documentation/admin-guide/kernel-parameters.txt.
#include <catch2/catch_test_macros.hpp>

#include "../topology/machines.h"
#include "rig/plan/vm_spec.h"

using namespace rig;

TEST_CASE("A guest in virtual time is told that its TSC counts nanoseconds") {
  CHECK(kernel_cmdline(q6600(), Accelerator::Tcg, {}, 2400000) ==
        "console=ttyS0,115200 panic=-1 no_timer_check tsc=reliable tsc_early_khz=1000000");
}

TEST_CASE("A guest with a thread for each vCPU is told the host's TSC frequency, where it is known") {
  CHECK(kernel_cmdline(q6600(), Accelerator::TcgMt, {}, 2400000) ==
        "console=ttyS0,115200 panic=-1 no_timer_check tsc=reliable tsc_early_khz=2400000");
  CHECK(kernel_cmdline(q6600(), Accelerator::TcgMt, {}) == "console=ttyS0,115200 panic=-1 no_timer_check tsc=reliable");
}

TEST_CASE("A guest under KVM keeps its own judgement of its clocks") {
  CHECK(kernel_cmdline(q6600(), Accelerator::Kvm, {}, 2400000) == "console=ttyS0,115200 panic=-1");
}

TEST_CASE("The far end of a wire is kept out of the scheduler's sight") {
  auto machine = dell_1950();
  machine.peer = PeerPackage{};
  CHECK(kernel_cmdline(machine, Accelerator::Kvm, {"panic=0"}) == "console=ttyS0,115200 panic=-1 isolcpus=8 panic=0");
}

TEST_CASE("The kernel's own words stand last, so that they win") {
  CHECK(kernel_cmdline(q6600(), Accelerator::Kvm, {"schedstats=enable", "panic=0"}) ==
        "console=ttyS0,115200 panic=-1 schedstats=enable panic=0");
}
