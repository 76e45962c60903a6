// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <filesystem>

namespace rig {

// Where short-lived files go: $TMPDIR, or /tmp. Throws HostLacks where that is no directory.
std::filesystem::path temporary_directory();

}  // namespace rig
