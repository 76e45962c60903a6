// SPDX-License-Identifier: GPL-2.0-or-later
// What is told while another process holds a lock.
#pragma once
#include <functional>
#include <string>

#include "rig/kernel/kernel.h"

namespace rig::kernel {

// what: "builds this kernel". For FileLock::wait; progress outlives it.
inline std::function<void()> waiting(const KernelProgress& progress, std::string what) {
  return [&progress, what = std::move(what)] {
    if (progress) progress("waiting for another process that " + what);
  };
}

}  // namespace rig::kernel
