// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>

#include "rig/vm/vm.h"

namespace rig {
namespace {

struct Instant {
  std::uint64_t ticks, ns, width;  // width: ticks between the two reads of the TSC around the clock
};

Instant read_clocks() {
  Instant best{0, 0, UINT64_MAX};
  for (int i = 0; i < 20; ++i) {  // the narrowest of several was not interrupted
    const std::uint64_t before = __rdtsc();
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    const std::uint64_t after = __rdtsc();
    if (after - before < best.width)
      best = {before + (after - before) / 2,
              static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec),
              after - before};
  }
  return best;
}

}  // namespace

int host_tsc_khz() {
  static const int khz = [] {
    std::array<int, 3> found{};
    for (int& one : found) {
      const Instant first = read_clocks();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const Instant last = read_clocks();
      one = static_cast<int>((last.ticks - first.ticks) * 1000000u / (last.ns - first.ns));
    }
    std::sort(found.begin(), found.end());
    return found[1];
  }();
  return khz;
}

}  // namespace rig
