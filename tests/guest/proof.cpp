// SPDX-License-Identifier: GPL-2.0-or-later
// The first boot of a kernel on a machine is its proof.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A kernel that sees another machine is booted once, and one beside it runs as planned") {
  RunsDir runs;
  // tcg-mt: one guest at a time, so that none is under way beside the proof
  const auto result =
      rig_program({"run", "tests/guest/definitions/wrong-view.yaml", "--accel", "tcg-mt", "--out", runs.path()});
  INFO(result.out + result.err);
  CHECK(result.exit_code == 4);
  const auto run = runs.newest();
  const auto record = load_record(run);
  INFO(outcomes(record));
  CHECK(all_ok(record, 4));  // of debian-6.1
  int wrong = 0, skipped = 0, directories = 0;
  for (const auto& attempt : record.attempts) {
    wrong += attempt.outcome == Outcome::TopologyMismatch;
    if (attempt.outcome != Outcome::Skipped) continue;
    ++skipped;
    CHECK(attempt.reason == "not booted: two-cpus is not right on q6600: CPUs online: asked 4, seen 2");
  }
  CHECK(wrong == 1);
  CHECK(skipped == 3);
  for (const auto& cell : fs::directory_iterator(run / "cells"))
    directories += static_cast<int>(std::distance(fs::directory_iterator(cell), fs::directory_iterator()));
  CHECK(directories == 5);  // what was booted
  CHECK_THAT(result.out, ContainsSubstring("3 boots: skipped"));
}
