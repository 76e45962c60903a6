// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/temporary.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "rig/base/error.h"

namespace rig {

std::filesystem::path temporary_directory() {
  std::error_code error;
  const auto found = std::filesystem::temp_directory_path(error);
  if (!error) return found;
  const char* given = std::getenv("TMPDIR");
  throw HostLacks(given != nullptr ? "TMPDIR is " + std::string(given) + ", which is no directory"
                                   : std::string("/tmp is no directory"),
                  "set TMPDIR to a directory that can be written");
}

}  // namespace rig
