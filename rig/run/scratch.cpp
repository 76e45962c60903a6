// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/scratch.h"

#include <unistd.h>

#include <string>

namespace rig {
namespace {

namespace fs = std::filesystem;

// Folders whose lock nobody holds any more.
void sweep(const fs::path& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (entry.path().extension() != ".lock") continue;
    if (const auto lock = FileLock::attempt(entry.path())) {
      fs::path folder = entry.path();
      fs::remove_all(folder.replace_extension(), ignored);
      fs::remove(entry.path(), ignored);
    }
  }
}

fs::path swept(const fs::path& parent) {
  make_directories(parent);
  sweep(parent);
  return parent / std::to_string(::getpid());
}

// A sweeper that took the lock between its making and its taking has removed the file: then again.
FileLock own_lock(const fs::path& file) {
  for (;;) {
    FileLock lock = FileLock::wait(file);
    if (fs::exists(file)) return lock;
  }
}

}  // namespace

Scratch::Scratch(const fs::path& parent)
    : path_(swept(parent)), lock_(own_lock(fs::path(path_).replace_extension(".lock"))) {
  make_directories(path_);
  fs::permissions(path_, fs::perms(0755));
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  fs::remove(fs::path(path_).replace_extension(".lock"), ignored);
}

}  // namespace rig
