// SPDX-License-Identifier: GPL-2.0-or-later
// Each way in which a guest can fail, told by its own name, and the cells beside it as if nothing had been.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Expected {
  std::string what, outcome, reason;  // the reason holds this
};

const AttemptRecord& attempt_of(const RunRecord& record, const std::string& kernel, const std::string& job,
                                const std::string& what) {
  for (const auto& cell : record.cells) {
    const auto found = cell.parameters.find("what");
    const bool same = found == cell.parameters.end() ? what.empty() : found->second == what;
    if (cell.kernel != kernel || cell.job != job || !same) continue;
    for (const auto& attempt : record.attempts) {
      if (attempt.cell == cell.id) return attempt;
    }
  }
  throw std::logic_error("no attempt of " + kernel + " " + job + " " + what);
}

struct Ran {
  ProcessResult result;
  RunRecord record;
};
Ran run_matrix(RunsDir& runs, const std::string& name, const std::string& accelerator = "tcg") {
  Ran ran;
  ran.result = rig_program({"run", "tests/guest/definitions/" + name, "--accel", accelerator, "--out", runs.path()});
  ran.record = load_record(runs.newest());
  return ran;
}

void check(const RunRecord& record, const std::string& kernel, const Expected& expected,
           const std::string& job = "fault") {
  INFO(kernel << " " << job << " " << expected.what);
  const auto& attempt = attempt_of(record, kernel, job, expected.what);
  INFO(attempt.reason);
  CHECK(to_string(attempt.outcome) == expected.outcome);
  CHECK_THAT(attempt.reason, ContainsSubstring(expected.reason));
  CHECK(attempt.samples.empty() == (expected.outcome != "ok"));
}

}  // namespace

TEST_CASE("Each fault of a guest is told by its own name, and the cells beside it are unharmed") {
  RunsDir runs;
  const Ran ran = run_matrix(runs, "faults.yaml");
  INFO(ran.result.err << outcomes(ran.record));
  CHECK(ran.result.exit_code == 4);
  for (const Expected& expected : {
           Expected{"none", "ok", ""},
           Expected{"panic", "panic", "Kernel panic - not syncing: sysrq triggered crash"},
           Expected{"kill-init", "panic", "Kernel panic - not syncing: Attempted to kill init!"},
           Expected{"hang-init", "hang", "the guest showed no progress any more"},
           Expected{"reboot", "panic", "the guest reset itself"},
           Expected{"power-off", "truncated", "without a trailer"},
           Expected{"flood-console", "ok", ""},    // bounded by the time of the benchmark; vm_session has its bound
           Expected{"garbage-console", "ok", ""},  // the console is no result
           Expected{"garbage-results", "truncated", "byte"},
           Expected{"kill-ends", "benchmark-failed", "signal 9"},
           Expected{"out-of-memory", "benchmark-failed", "Out of memory: Killed process"},
       })
    check(ran.record, "debian-6.1", expected);
  check(ran.record, "debian-6.1", {"", "timeout", "still running at its time limit"}, "endless");
  check(ran.record, "debian-6.1", {"", "benchmark-failed", "tbench"}, "tbench-dies");
  // what the guests sent reaches the reader's terminal without their control characters
  for (const char c : ran.result.out) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
}

TEST_CASE("Kernels that do not come up are told apart") {
  RunsDir runs;
  const Ran ran = run_matrix(runs, "faults-boot.yaml");
  INFO(ran.result.err << outcomes(ran.record));
  CHECK(ran.result.exit_code == 4);
  check(ran.record, "no-init", {"reboot", "panic", "Kernel panic - not syncing: Requested init /nonexistent failed"});
  check(ran.record, "no-memory", {"reboot", "boot-failed", "Initramfs unpacking failed"});
  check(ran.record, "mute", {"reboot", "boot-failed", "(its console is empty)"});
  check(ran.record, "triple", {"reboot", "panic", "the guest reset itself, by a triple fault"});
}

TEST_CASE("A kernel that oopses and goes on gives no figures, and one that stands still is told with its complaint") {
  RunsDir runs;
  // real time: a guest that spins takes long to pass its silence in virtual time
  const Ran ran = run_matrix(runs, "faults-lkdtm.yaml", "tcg-mt");
  INFO(ran.result.err << outcomes(ran.record));
  CHECK(ran.result.exit_code == 4);
  check(ran.record, "lkdtm", {"none", "ok", ""});
  check(ran.record, "lkdtm", {"oops", "panic", "the kernel oopsed and went on: BUG: kernel NULL pointer dereference"});
  check(ran.record, "lkdtm", {"soft-lockup", "hang", "BUG: soft lockup - CPU#0 stuck"});
}

TEST_CASE("A real guest's results, cut at any byte or with any byte changed, are never taken for whole") {
  RunsDir runs;
  const auto result = rig_program(
      {"run", "tests/guest/definitions/tiny.yaml", "--accel", "tcg", "--out", runs.path(), "--only", "clients=1"});
  REQUIRE(result.exit_code == 0);
  const fs::path run = runs.newest();
  const std::string whole = results_of(run, load_record(run).cells.at(0).id);
  REQUIRE(decode_results(whole).complete);
  REQUIRE(whole.size() < 100000);
  std::size_t taken = 0;
  for (std::size_t size = 0; size < whole.size(); ++size)
    taken += decode_results(std::string_view(whole).substr(0, size)).complete;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string spoilt = whole;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0x41);
    taken += decode_results(spoilt).complete;
  }
  CHECK(taken == 0);
}
