// SPDX-License-Identifier: GPL-2.0-or-later
// Builds that outlive a killed rig: they must not write into the tree that the next one makes.
#pragma once
#include <filesystem>

namespace rig::kernel {

// The environment variable that marks every process of a build, with its work place as the value.
inline constexpr const char* build_marker = "RIG_KERNEL_BUILD";

// Ends every process of this user that carries the mark of this work place. The caller holds its lock,
// so they are nobody's.
void end_leftovers(const std::filesystem::path& work);

}  // namespace rig::kernel
