// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <filesystem>
#include <stop_token>

#include "rig/base/file.h"

namespace rig {

// FileLock::wait that a request to stop ends, with InterruptedError.
FileLock wait_for_lock(const std::filesystem::path& file, std::stop_token stop);

}  // namespace rig
