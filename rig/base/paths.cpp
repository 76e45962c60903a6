// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/paths.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace rig {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::filesystem::path cache_directory() {
  // The XDG specification: a relative path in it is to be ignored.
  const std::filesystem::path chosen = variable("XDG_CACHE_HOME");
  if (chosen.is_absolute()) return chosen / "rig";
  if (::geteuid() == 0) return "/var/cache/rig";
  const std::string home = variable("HOME");
  return std::filesystem::path(home.empty() ? "/tmp" : home + "/.cache") / "rig";
}

std::filesystem::path data_directory() {
  const std::string chosen = variable("RIG_DATA");
  return chosen.empty() ? std::filesystem::path(RIG_DATA_DIRECTORY) : std::filesystem::absolute(chosen);
}

std::filesystem::path program_directory() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace rig
