// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts at the end of real runs: what --check makes of modelled and of functional figures, and a kernel against
// itself.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

#include "rig/record/record.h"
#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

ProcessResult run_tcp_rr(const RunsDir& runs, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"run",      "jobs/matrices/bld-today.yaml", "--only", "job=tcp-rr", "--out",
                                        runs.path()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return rig_program(arguments);
}

}  // namespace

TEST_CASE("Modelled, BLD's TCP_RR on Debian's 6.1 reproduces the published ratio, and the check holds") {
  RunsDir runs;
  const auto result = run_tcp_rr(runs, {"--accel", "model", "--check"});
  INFO(result.err << result.out);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("reproduced      tcp-rr: published 0.400"));
  CHECK_THAT(result.out, ContainsSubstring("worse           tcp-rr"));
  CHECK_THAT(result.out, ContainsSubstring("check: holds"));
  CHECK_THAT(result.out, ContainsSubstring("289581.86"));
  CHECK(rig_program({"report", runs.newest().string()}).exit_code == 0);
}

TEST_CASE("Functional figures never pass a check of published claims: it ends with 1 and says why") {
  RunsDir runs;
  const auto result = run_tcp_rr(runs, {"--accel", "tcg", "--check"});
  INFO(result.err << result.out);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("--check does not hold"));
  CHECK_THAT(result.err, ContainsSubstring("claim tcp-rr: not comparable: functional only"));
}

TEST_CASE("A kernel against itself ends in its noise floor, and can be resumed") {
  RunsDir runs;
  const auto result = run_tcp_rr(runs, {"--accel", "tcg", "--aa", "--check"});
  INFO(result.err << result.out);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("bld-today-aa"));
  CHECK_THAT(result.out, ContainsSubstring("debian-6.1-again"));
  CHECK_THAT(result.out, ContainsSubstring("noise floor"));
  CHECK(rig_program({"run", "--resume", runs.newest().string()}).exit_code == 0);
}

TEST_CASE(
    "Rounds inside modelled boots make each boot's figure, and a second run of them is the same to the last digit") {
  RunsDir runs;
  const TempDir lab(std::filesystem::temp_directory_path());
  const std::filesystem::path matrix = lab.path() / "rounds.yaml";
  write_file(matrix,
             "name: rounds\nkernels: [debian-6.1]\ntopologies: [dell-1950]\n"
             "jobs: [{job: udp-pingpong, placement: same-l2, count: 200}]\n"
             "repeat: {boots: 3, rounds: 3, warmup: 1}\n");
  std::vector<std::filesystem::path> made;
  for (int i = 0; i < 2; ++i) {
    const auto result = rig_program({"run", matrix.string(), "--accel", "model", "--out", runs.path()});
    INFO(result.err << result.out);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, ContainsSubstring("Rounds inside a boot: mean"));
    made.push_back(runs.newest());
  }
  REQUIRE(made[0] != made[1]);
  for (const auto& attempt : load_record(made[0]).attempts) {
    double boot = 0, sum = 0;
    std::size_t rounds = 0, warmup = 0;
    for (const auto& sample : attempt.samples) {
      if (sample.metric == "mean" && sample.instance == 0) boot = sample.value;
      if (sample.metric == "warmup.mean") ++warmup;
      if (sample.metric != "round.mean") continue;
      sum += sample.value;
      ++rounds;
    }
    CHECK(rounds == 3);
    CHECK(warmup == 1);
    CHECK(std::abs(boot - sum / 3) < 1e-9 * boot);
  }
  const auto compared = rig_program({"compare", made[0].string(), made[1].string()});
  INFO(compared.err << compared.out);
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, ContainsSubstring("no difference") && ContainsSubstring("alike to the last digit"));
}
