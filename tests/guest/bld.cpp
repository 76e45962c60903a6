// SPDX-License-Identifier: GPL-2.0-or-later
// What the BLD patch does to a running kernel: where it places tasks, and that it holds.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <sstream>

#include "rig_program.h"

using namespace rig;
using namespace rig::test;

namespace {

struct Wakeups {
  std::uint64_t all = 0, local = 0;
};

// Documentation/scheduler/sched-stats.rst, version 15: on a cpu line the fifth number counts all
// calls of try_to_wake_up(), the sixth those that woke up on the CPU of the call.
Wakeups wakeups(const std::string& schedstat) {
  REQUIRE(schedstat.rfind("version 15\n", 0) == 0);
  Wakeups sum;
  std::istringstream lines(schedstat);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("cpu", 0) != 0) continue;
    std::istringstream words(line);
    std::string name;
    std::uint64_t field[6] = {};
    words >> name;
    for (auto& value : field) words >> value;
    sum.all += field[4];
    sum.local += field[5];
  }
  return sum;
}

// The share of remote wake-ups over all boots of a cell, while the pinger ran.
double remote_share(const fs::path& run, const RunRecord& record, const std::string& kernel) {
  const std::string cell = cell_of(record, kernel, "tcp-rr").id;
  Wakeups sum;
  for (int boot = 0; boot < record.boots; ++boot) {
    const auto stream = decode_results(results_of(run, cell, boot));
    const auto* before = stream.find("schedstat/pinger/before");
    const auto* after = stream.find("schedstat/pinger/after");
    REQUIRE(before != nullptr);
    REQUIRE(after != nullptr);
    const Wakeups first = wakeups(*before), last = wakeups(*after);
    sum.all += last.all - first.all;
    sum.local += last.local - first.local;
  }
  REQUIRE(sum.all > 100000);
  return 1.0 - static_cast<double>(sum.local) / static_cast<double>(sum.all);
}

}  // namespace

TEST_CASE(
    "BLD scatters the wake-ups of four unbound request/response pairs; mainline, and BLD's own binary with bld=0, keep "
    "them local") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/wakeups.yaml", "--accel", "tcg", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto run = runs.newest();
  const auto record = load_record(run);
  const double mainline = remote_share(run, record, "debian-6.1");
  const double bld = remote_share(run, record, "debian-6.1-bld");
  const double off = remote_share(run, record, "debian-6.1-bld-off");
  WARN("remote wake-ups: mainline " << 100 * mainline << " %, BLD " << 100 * bld << " %, bld=0 " << 100 * off << " %");
  CHECK(mainline <= 0.20);
  CHECK(off <= 0.20);
  CHECK(bld >= 0.40);
}

TEST_CASE("BLD survives a minute of fork, exec and wake-up storms on 4 and 8 vCPUs without a warning") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/bld-storm.yaml", "--accel", "tcg-mt", "--out", runs.path()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  INFO(outcomes(record));
  CHECK(all_ok(record, 2));
  for (const auto& attempt : record.attempts) {
    for (const auto& note : attempt.notes) {
      INFO(note);
      CHECK(note.find("the kernel's log") == std::string::npos);
    }
  }
}
