// SPDX-License-Identifier: GPL-2.0-or-later
// What a kernel's configuration says of one option.
#pragma once
#include <optional>
#include <string_view>

#include "rig/kernel/kernel.h"

namespace rig {

// Whether the option is "y"; nothing where the kernel's configuration is not known. A module is not built in:
// rig's images hold none.
std::optional<bool> builds_in(const KernelArtifact& kernel, std::string_view option);

}  // namespace rig
