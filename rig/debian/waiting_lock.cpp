// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/debian/waiting_lock.h"

#include <chrono>
#include <thread>

#include "rig/base/error.h"

namespace rig {

FileLock wait_for_lock(const std::filesystem::path& file, std::stop_token stop) {
  for (;;) {
    if (stop.stop_requested()) throw InterruptedError();
    if (auto lock = FileLock::attempt(file)) return std::move(*lock);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace rig
