// SPDX-License-Identifier: GPL-2.0-or-later
// The built program, run as a user runs it.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "rig/base/base.h"

namespace rig::test {

namespace fs = std::filesystem;

// The program in an empty home, so that a test neither uses nor fills the user's cache.
struct Desk {
  TempDir dir{fs::temp_directory_path(), "rig-cli"};

  ProcessResult rig(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), fs::path(RIG_BUILD_DIR) / "rig");
    Command command;
    command.argv = std::move(arguments);
    command.directory = dir.path();
    command.env = {{"HOME", dir.path()}, {"XDG_CACHE_HOME", dir.path() / "cache"}, {"RIG_DATA", RIG_SOURCE_DIR}};
    command.limit = std::chrono::seconds(60);
    return run(command);
  }
  fs::path add(const std::string& name, const std::string& text) const {
    make_directories((dir.path() / name).parent_path());
    write_file(dir.path() / name, text);
    return name;
  }
  // Names in the folder but for those given: what a command left behind.
  std::vector<std::string> left_behind(const std::vector<std::string>& known) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      const auto name = entry.path().filename().string();
      if (std::find(known.begin(), known.end(), name) == known.end()) names.push_back(name);
    }
    return names;
  }
};

}  // namespace rig::test
