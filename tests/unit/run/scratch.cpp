// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/scratch.h"

#include <catch2/catch_test_macros.hpp>

using namespace rig;
namespace fs = std::filesystem;

TEST_CASE("What a killed rig left is swept away, and what a living one uses is not") {
  const TempDir parent(fs::temp_directory_path(), "rig-scratch-test");
  fs::create_directories(parent.path() / "dead/attempt-x");
  write_file(parent.path() / "dead/attempt-x/initrd", "30 MB");
  write_file(parent.path() / "dead.lock", "");
  fs::create_directories(parent.path() / "alive/attempt-y");
  const auto held = FileLock::wait(parent.path() / "alive.lock");
  fs::path own;
  {
    const Scratch scratch(parent.path());
    own = scratch.path();
    CHECK(fs::is_directory(own));
    CHECK_FALSE(fs::exists(parent.path() / "dead"));
    CHECK_FALSE(fs::exists(parent.path() / "dead.lock"));
    CHECK(fs::exists(parent.path() / "alive/attempt-y"));
  }
  CHECK_FALSE(fs::exists(own));
}
