// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/old_cmdline.h"

#include "rig/kernel/version.h"

namespace rig {

std::string cmdline_for(std::string cmdline, const std::string& release, Accelerator accelerator) {
  constexpr std::string_view believe = " no_timer_check";
  const auto version = kernel::leading_version(release);
  const bool old = version && *version < kernel::KernelVersion{2, 6, 28};
  const auto at = cmdline.find(believe);
  if (accelerator == Accelerator::TcgMt && old && at != std::string::npos)
    cmdline.replace(at, believe.size(), " nohpet");
  return cmdline;
}

}  // namespace rig
