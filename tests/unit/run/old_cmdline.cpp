// SPDX-License-Identifier: GPL-2.0-or-later
// By the kernels' own arch/x86_64/kernel/io_apic.c, check_timer(): `!no_timer_check && timer_irq_works()` up to
// 2.6.27, `if (no_timer_check) return 1` in timer_irq_works() since.
#include "rig/run/old_cmdline.h"

#include <catch2/catch_test_macros.hpp>

#include "rig/run/attempt.h"

using namespace rig;

TEST_CASE("A kernel before 2.6.28 waits ten times as long for its timer's ticks, 250 a second, by the TSC given") {
  const std::string line = "panic=-1 no_timer_check tsc=reliable tsc_early_khz=2500000 schedstats=enable";
  CHECK(cmdline_for(line, "2.6.22", Accelerator::TcgMt) ==
        "panic=-1 nohpet earlyprintk=serial,ttyS0,115200 lpj=100000000 tsc=reliable tsc_early_khz=2500000 "
        "schedstats=enable");
  CHECK(cmdline_for("a no_timer_check tsc_early_khz=many", "2.6.22", Accelerator::TcgMt) ==
        "a nohpet earlyprintk=serial,ttyS0,115200 tsc_early_khz=many");
}

TEST_CASE("A kernel of 2.6 sends its results past its serial driver where time is real, and only there") {
  CHECK(results_word(ResultsTransport::Serial, "2.6.22", Accelerator::TcgMt) == "port:0x2f8");
  CHECK(results_word(ResultsTransport::Serial, "2.6.30-rc3", Accelerator::Kvm) == "port:0x2f8");
  CHECK(results_word(ResultsTransport::Serial, "2.6.22", Accelerator::Tcg) == "serial:/dev/ttyS1");
  CHECK(results_word(ResultsTransport::Serial, "2.6.22", Accelerator::Model) == "serial:/dev/ttyS1");
  CHECK(results_word(ResultsTransport::Serial, "3.17.0", Accelerator::TcgMt) == "serial:/dev/ttyS1");
  CHECK(results_word(ResultsTransport::Virtio, "2.6.39", Accelerator::TcgMt) == "virtio:rig.results");
}

TEST_CASE("A kernel before 2.6.28 is not told to disbelieve its timer where time is real") {
  const std::string line = "console=ttyS0,115200 panic=-1 no_timer_check tsc=reliable";
  CHECK(cmdline_for(line, "2.6.22.19", Accelerator::TcgMt) ==
        "console=ttyS0,115200 panic=-1 nohpet earlyprintk=serial,ttyS0,115200 tsc=reliable");
  CHECK(cmdline_for(line, "2.6.27", Accelerator::TcgMt) != line);
  for (const char* release : {"2.6.28", "2.6.30-rc3", "6.1.176", ""})
    CHECK(cmdline_for(line, release, Accelerator::TcgMt) == line);
  CHECK(cmdline_for(line, "2.6.22", Accelerator::Tcg) == line);
  CHECK(cmdline_for(line, "2.6.22", Accelerator::Model) == line);
}
