// SPDX-License-Identifier: GPL-2.0-or-later
// The run of two tiny cells that disturbed runs are held against: what it gave, undisturbed.
#pragma once
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rig_process.h"

namespace rig::test {

inline constexpr const char* tiny_matrix = "tests/guest/definitions/tiny.yaml";

inline std::vector<std::string> run_arguments(const std::string& matrix, const std::string& out) {
  return {"run", matrix, "--accel", "tcg", "--out", out};
}
inline std::vector<std::string> resume_arguments(const fs::path& run) { return {"run", "--resume", run.string()}; }

inline std::vector<std::string> cell_ids(const RunRecord& record) {
  std::vector<std::string> ids;
  for (const auto& cell : record.cells) ids.push_back(cell.id);
  return ids;
}

// What must not depend on how a run came to its end.
struct Undisturbed {
  std::chrono::milliseconds took{0};
  RunRecord record;
  std::map<std::pair<std::string, int>, std::vector<Sample>> samples;
  std::map<std::pair<std::string, int>, std::string> results;  // the bytes that the guests sent

  static const Undisturbed& get() {
    static const Undisturbed one;
    return one;
  }

 private:
  Undisturbed() {
    RunsDir runs;
    const auto begin = std::chrono::steady_clock::now();
    const auto result = rig_program(run_arguments(tiny_matrix, runs.path()));
    took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const fs::path run = runs.newest();
    record = load_record(run);
    REQUIRE(all_ok(record, 4));
    for (const auto& attempt : record.attempts) {
      samples[{attempt.cell, attempt.repetition}] = attempt.samples;
      results[{attempt.cell, attempt.repetition}] = results_of(run, attempt.cell, attempt.repetition);
    }
  }
};

// Files that somebody had begun to write.
inline std::vector<std::string> half_files(const fs::path& directory) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".new-") != std::string::npos || name.ends_with(".tmp") || name.ends_with("-journal"))
      found.push_back(entry.path().string());
  }
  return found;
}

// Every repetition came to one good end, and that is the undisturbed one's, bit by bit.
inline void check_as_undisturbed(const fs::path& run) {
  const Undisturbed& good = Undisturbed::get();
  const RunRecord record = load_record(run);
  INFO(outcomes(record));
  CHECK(cell_ids(record) == cell_ids(good.record));
  std::map<std::pair<std::string, int>, int> ok;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome != Outcome::Ok) {
      CHECK((attempt.outcome == Outcome::Interrupted || attempt.outcome == Outcome::Infrastructure));
      CHECK(attempt.samples.empty());
      continue;
    }
    const auto key = std::pair(attempt.cell, attempt.repetition);
    ++ok[key];
    CHECK(attempt.samples == good.samples.at(key));
    const fs::path files = run / "cells" / attempt.cell / fmt::format("{}.{}", attempt.repetition, attempt.attempt);
    CHECK(read_file(files / "results") == good.results.at(key));
  }
  CHECK(ok.size() == good.samples.size());
  for (const auto& [key, times] : ok) CHECK(times == 1);
  CHECK(half_files(run) == std::vector<std::string>{});
  CHECK(qemus_of_run(run).empty());
}

}  // namespace rig::test
