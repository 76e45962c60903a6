// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "rig/base/base.h"
#include "rig/image/image.h"

namespace rig {

GuestPrograms guest_programs() {
  const auto directory = program_directory() / "guest";
  const GuestPrograms programs{directory / "rig-agent", directory / "rig-pinger"};
  for (const auto& program : {programs.agent, programs.pinger}) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(program, none) || access(program.c_str(), R_OK) != 0) {
      throw HostLacks("the guest's program " + program.string() + " is not built",
                      "./bootstrap builds it (or: cmake --build --preset release)");
    }
  }
  return programs;
}

}  // namespace rig
