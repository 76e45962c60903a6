// SPDX-License-Identifier: GPL-2.0-or-later
// The folder for initramfs files while guests run: this process's own, below a common one. What a killed
// rig left there is swept away by the next.
#pragma once
#include <filesystem>

#include "rig/base/file.h"

namespace rig {

class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& parent);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  // PARENT/PID, with the lock PARENT/PID.lock
  FileLock lock_;
};

}  // namespace rig
