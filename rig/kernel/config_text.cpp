// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/config_text.h"

#include "rig/base/base.h"

namespace rig {

std::optional<bool> builds_in(const KernelArtifact& kernel, std::string_view option) {
  if (kernel.config.empty() || !std::filesystem::exists(kernel.config)) return std::nullopt;
  const std::string text = "\n" + read_file(kernel.config);
  return text.find("\n" + std::string(option) + "=y\n") != std::string::npos;
}

}  // namespace rig
