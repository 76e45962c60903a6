// SPDX-License-Identifier: GPL-2.0-or-later
// By the kernels' own arch/x86_64/kernel/io_apic.c, check_timer(): `!no_timer_check && timer_irq_works()` up to
// 2.6.27, `if (no_timer_check) return 1` in timer_irq_works() since.
#include "rig/run/old_cmdline.h"

#include <catch2/catch_test_macros.hpp>

using namespace rig;

TEST_CASE("A kernel before 2.6.28 is not told to disbelieve its timer where time is real") {
  const std::string line = "console=ttyS0,115200 panic=-1 no_timer_check tsc=reliable";
  CHECK(cmdline_for(line, "2.6.22.19", Accelerator::TcgMt) == "console=ttyS0,115200 panic=-1 nohpet tsc=reliable");
  CHECK(cmdline_for(line, "2.6.27", Accelerator::TcgMt) != line);
  for (const char* release : {"2.6.28", "2.6.30-rc3", "6.1.176", ""})
    CHECK(cmdline_for(line, release, Accelerator::TcgMt) == line);
  CHECK(cmdline_for(line, "2.6.22", Accelerator::Tcg) == line);
  CHECK(cmdline_for(line, "2.6.22", Accelerator::Model) == line);
}
