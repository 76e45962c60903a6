// SPDX-License-Identifier: GPL-2.0-or-later
// Two real guests on a wire: every placement, and peers that die.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/vm/process_table.h"
#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// QEMU processes of the run's cells, guests and peers alike.
std::size_t qemus_of(const RunRecord& record) {
  std::size_t found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto pid = parse_integer(entry.path().filename().string());
    if (!pid) continue;
    const std::string arguments = process_arguments(static_cast<pid_t>(*pid));
    for (const auto& cell : record.cells) found += arguments.find("guest=rig-" + cell.id + "-") != std::string::npos;
  }
  return found;
}

double least(const AttemptRecord& attempt, const std::string& metric) {
  double value = 1e9;
  for (const auto& sample : attempt.samples) {
    if (sample.metric == metric) value = std::min(value, sample.value);
  }
  return value;
}

}  // namespace

TEST_CASE("Two guests on a wire complete in every placement, their interrupts on target in both") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/wire.yaml", "--accel", "tcg-mt", "--out", runs.path()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto run = runs.newest();
  const auto record = load_record(run);
  INFO(outcomes(record));
  REQUIRE(record.cells.size() == 5);
  CHECK(all_ok(record, 5));
  for (const auto& attempt : record.attempts) {
    CHECK(least(attempt, "wire.interrupts") >= 99);
    CHECK(least(attempt, "wire.received") >= 99);
    CHECK(least(attempt, "wire.interrupt-count") > 50);
    CHECK(least(attempt, "wire.interrupts") <= 100);
    const fs::path files = run / "cells" / attempt.cell / "0.0";
    CHECK_THAT(read_file(files / "view.txt"), ContainsSubstring("cpu 7 package=1"));
    CHECK_THAT(read_file(files / "peer/view.txt"), ContainsSubstring("cpu 7 package=1"));
  }
  CHECK_THAT(result.out, ContainsSubstring("debian-6.1: virtio-net"));
  CHECK_THAT(result.out, ContainsSubstring("On the wire"));
  CHECK(qemus_of(record) == 0);
}

TEST_CASE("A peer that panics fails the cell as peer-panic, its console is kept, and no guest is left") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/wire-panic.yaml", "--accel", "tcg-mt", "--out", runs.path()});
  CHECK(result.exit_code == 4);
  const auto run = runs.newest();
  const auto record = load_record(run);
  REQUIRE(record.attempts.size() == 1);
  CHECK(to_string(record.attempts[0].outcome) == "peer-panic");
  CHECK_THAT(record.attempts[0].reason, ContainsSubstring("sysrq triggered crash"));
  CHECK(record.attempts[0].samples.empty());
  CHECK_THAT(read_file(run / "cells" / record.cells[0].id / "0.0/peer/console.log"),
             ContainsSubstring("Kernel panic - not syncing: sysrq triggered crash"));
  CHECK(qemus_of(record) == 0);
}

TEST_CASE("A peer that never comes up fails the cell as peer-boot-failed, and no guest is left") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/wire-never-up.yaml", "--accel", "tcg-mt", "--out", runs.path()});
  CHECK(result.exit_code == 4);
  const auto record = load_record(runs.newest());
  REQUIRE(record.attempts.size() == 1);
  CHECK(to_string(record.attempts[0].outcome) == "peer-boot-failed");
  CHECK_THAT(record.attempts[0].reason, ContainsSubstring("the peer: the guest booted no further than"));
  CHECK_THAT(result.out, ContainsSubstring("debian-6.1-never-up (peer only)"));
  CHECK(qemus_of(record) == 0);
}

TEST_CASE("Virtual time is refused for two guests on a wire before anything is started") {
  const std::pair<const char*, const char*> cases[] = {
      {"tcg", "two guests cannot share one virtual time"},
      {"model", "the other end needs a package of its own, and topology dell-1950 has none"}};
  for (const auto& [accelerator, message] : cases) {
    RunsDir runs;
    const auto result =
        rig_program({"run", "tests/guest/definitions/wire.yaml", "--accel", accelerator, "--out", runs.path()});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, ContainsSubstring(message));
    CHECK(fs::is_empty(runs.path()));
  }
}
