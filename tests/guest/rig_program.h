// SPDX-License-Identifier: GPL-2.0-or-later
// The built rig, run as a user runs it, and what its run directories hold.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "rig/base/base.h"
#include "rig/record/record.h"
#include "rig/vm/vm.h"

namespace rig::test {

namespace fs = std::filesystem;

inline ProcessResult rig_program(std::vector<std::string> arguments,
                                 std::chrono::minutes limit = std::chrono::minutes(20)) {
  arguments.insert(arguments.begin(), std::string(RIG_BUILD_DIR) + "/rig");
  return run({.argv = arguments, .directory = RIG_SOURCE_DIR, .env = {{"NO_COLOR", "1"}}, .limit = limit});
}

// A directory for runs that QEMU's user can reach, removed with what it holds.
class RunsDir {
 public:
  RunsDir() : dir_(cache_directory(), "test-runs") { fs::permissions(dir_.path(), fs::perms(0755)); }
  std::string path() const { return dir_.path().string(); }
  // The one run made below it since the last call.
  fs::path newest() {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      if (std::find(seen_.begin(), seen_.end(), entry.path()) == seen_.end()) found = entry.path();
    }
    seen_.push_back(found);
    return found;
  }

 private:
  TempDir dir_;
  std::vector<fs::path> seen_;
};

// The results stream of a cell's first attempt.
inline std::string results_of(const fs::path& run, const std::string& cell, int repetition = 0) {
  return read_file(run / "cells" / cell / (std::to_string(repetition) + ".0") / "results");
}

inline const CellRecord& cell_of(const RunRecord& record, const std::string& kernel, const std::string& job) {
  for (const auto& cell : record.cells) {
    if (cell.kernel == kernel && cell.job == job) return cell;
  }
  throw std::logic_error("no cell of " + job + " on " + kernel);
}

// Every outcome and its reason, for a message that helps.
inline std::string outcomes(const RunRecord& record) {
  std::string text;
  for (const auto& attempt : record.attempts)
    text += attempt.cell + " " + to_string(attempt.outcome) + " " + attempt.reason + "\n";
  return text;
}

inline bool all_ok(const RunRecord& record, std::size_t attempts) {
  std::size_t ok = 0;
  for (const auto& attempt : record.attempts) ok += attempt.outcome == Outcome::Ok;
  return ok == attempts;
}

}  // namespace rig::test
