// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/old_cmdline.h"

#include "rig/base/units.h"
#include "rig/kernel/version.h"

namespace rig {
namespace {

// rig's own configurations tick so often; the delays of a kernel that ticks otherwise come out that much longer.
constexpr std::int64_t ticks_per_second = 250, longer = 10;

std::string longer_delays(const std::string& cmdline) {
  constexpr std::string_view word = " tsc_early_khz=";
  const auto at = cmdline.find(word);
  if (at == std::string::npos) return "";
  const auto begin = at + word.size();
  const auto khz = parse_integer(cmdline.substr(begin, cmdline.find(' ', begin) - begin));
  if (!khz || *khz <= 0 || *khz > 100'000'000) return "";
  return " lpj=" + std::to_string(*khz * 1000 / ticks_per_second * longer);
}

}  // namespace

std::string cmdline_for(std::string cmdline, const std::string& release, Accelerator accelerator) {
  constexpr std::string_view believe = " no_timer_check";
  const auto version = kernel::leading_version(release);
  const bool old = version && *version < kernel::KernelVersion{2, 6, 28};
  const auto at = cmdline.find(believe);
  if (accelerator == Accelerator::TcgMt && old && at != std::string::npos)
    cmdline.replace(at, believe.size(), " nohpet earlyprintk=serial,ttyS0,115200" + longer_delays(cmdline));
  return cmdline;
}

bool misses_serial_interrupts(const std::string& release, Accelerator accelerator) {
  const auto version = kernel::leading_version(release);
  return !in_virtual_time(accelerator) && version && *version < kernel::KernelVersion{3, 0, 0};
}

}  // namespace rig
