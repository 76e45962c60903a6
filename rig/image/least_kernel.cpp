// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "rig/base/error.h"
#include "rig/image/image.h"

namespace rig {

void check_least_kernel(const ImageSpec& spec, const std::map<std::string, std::string>& least_kernels) {
  if (!spec.least_kernel) return;
  std::optional<KernelVersion> most;
  std::string program;
  for (const auto& [file, least] : least_kernels) {
    const auto version = parse_version(least);
    if (!version || (most && *version <= *most)) continue;
    most = version;
    program = file;
  }
  if (!most || *most <= *spec.least_kernel) return;
  throw InputError(
      fmt::format("image {}: {} starts on Linux {} and later, and the definition says least_kernel: {}\n"
                  "  write least_kernel: {} in images/{}.yaml",
                  spec.name, program, to_string(*most), to_string(*spec.least_kernel), to_string(*most), spec.name));
}

}  // namespace rig
