// SPDX-License-Identifier: GPL-2.0-or-later
// The main job on real kernels and real benchmarks, as README gives it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <thread>

#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

// Keeps every CPU of the host busy while it lives.
class Load {
 public:
  Load() {
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
      threads_.emplace_back([](const std::stop_token& stop) {
        volatile unsigned spin = 0;
        while (!stop.stop_requested()) spin = spin + 1;
      });
    }
  }

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace

TEST_CASE("The main job ends with a table of two kernels against the baseline") {
  RunsDir runs;
  const auto result = rig_program({"run", "matrix.yaml", "--accel", "tcg", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto run = runs.newest();
  const auto record = load_record(run);
  INFO(outcomes(record));
  CHECK(record.cells.size() == 4);
  CHECK(all_ok(record, 4));
  CHECK_THAT(result.out, StartsWith(read_file(run / "report.txt")));
  CHECK_THAT(result.out, ContainsSubstring("functional only"));
  CHECK_THAT(result.out, ContainsSubstring("debian-6.1-bld"));
  CHECK_THAT(result.out, ContainsSubstring("linux-source-6.1"));

  SECTION("a report can be had again from the record") {
    CHECK(rig_program({"report", run.string()}).out == read_file(run / "report.txt"));
  }
  SECTION("the definitions kept with the run are the same plan") {
    const auto kept = rig_program({"plan", (run / "plan/matrix.yaml").string(), "--json"});
    INFO(kept.err);
    CHECK(kept.exit_code == 0);
    CHECK(kept.out == rig_program({"plan", "matrix.yaml", "--json"}).out);
  }
  SECTION("resuming a finished run boots nothing and gives the same report") {
    const auto again = rig_program({"run", "--resume", run.string()});
    INFO(again.err);
    CHECK(again.exit_code == 0);
    CHECK(again.out == result.out);
    CHECK(load_record(run).attempts.size() == 4);
  }
}

TEST_CASE("The same attempt in virtual time gives the same bytes twice, once on a busy host") {
  RunsDir runs;
  const std::vector<std::string> arguments{"run",    "matrix.yaml", "--accel", "tcg",
                                           "--only", "job=tcp-rr",  "--out",   runs.path()};
  REQUIRE(rig_program(arguments).exit_code == 0);
  const auto quiet = runs.newest();
  {
    const Load load;
    REQUIRE(rig_program(arguments).exit_code == 0);
  }
  const auto busy = runs.newest();
  for (const auto& cell : load_record(quiet).cells) {
    CHECK(results_of(quiet, cell.id) == results_of(busy, cell.id));
  }
}

TEST_CASE("The 2009 post's four placements complete on the Dell's shape, each where it was asked") {
  RunsDir runs;
  const auto result = rig_program({"run", "jobs/matrices/udp-placement.yaml", "--accel", "tcg", "--out", runs.path()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  INFO(outcomes(record));
  CHECK(all_ok(record, 4));
}

TEST_CASE("All of the 2014 post's measurements complete") {
  RunsDir runs;
  const auto result = rig_program({"run", "jobs/matrices/bld.yaml", "--accel", "tcg", "--out", runs.path()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  INFO(outcomes(record));
  CHECK(all_ok(record, 10));
}

TEST_CASE("The 2014 post's netperf completes by seconds and by transactions") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/netperf.yaml", "--accel", "tcg", "--out", runs.path()});
  if (result.exit_code == 2 && result.err.find("not among this machine's apt sources") != std::string::npos) {
    SKIP("netperf is not free: it is tried where ./bootstrap --with-netperf was asked for");
  }
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  INFO(outcomes(record));
  CHECK(all_ok(record, 2));
}
