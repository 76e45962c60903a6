// SPDX-License-Identifier: GPL-2.0-or-later
// A run's figures, with gnuplots that work and that do not.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/base/base.h"
#include "tests/unit/report/records.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

// A finished run of a sweep.
struct FinishedRun {
  TempDir dir{fs::temp_directory_path(), "rig-figures"};
  fs::path run = dir.path() / "run";
  FinishedRun() {
    make_directories(run);
    RunStore::create(run, records::swept());
  }
  // With this text as the program gnuplot; empty: the machine's own.
  ProcessResult report(const std::string& gnuplot) const {
    std::string path = std::getenv("PATH");
    if (!gnuplot.empty()) {
      make_directories(dir.path() / "bin");
      write_file(dir.path() / "bin/gnuplot", gnuplot);
      fs::permissions(dir.path() / "bin/gnuplot", fs::perms(0755));
      path = (dir.path() / "bin").string() + ":" + path;
    }
    return rig::run({.argv = {fs::path(RIG_BUILD_DIR) / "rig", "report", run.string(), "--figures"},
                     .env = {{"PATH", path}},
                     .limit = std::chrono::seconds(60)});
  }
};

}  // namespace

TEST_CASE("Figures are drawn anew from a run's record") {
  const FinishedRun finished;
  const auto result = finished.report("");
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("1 figure: " + finished.run.string() + "/figures/*.svg"));
  CHECK_THAT(read_file(finished.run / "figures/tcp-rr-q6600-4-clients-timing.fsb.cache_to_cache.svg"),
             ContainsSubstring("debian-6.1-bld"));
}

TEST_CASE("A gnuplot that fails or draws nothing is told, keeps the scripts, and fails no report") {
  const FinishedRun finished;
  const auto failing = finished.report("#!/bin/sh\necho no terminal >&2\nexit 3\n");
  CHECK(failing.exit_code == 0);
  CHECK_THAT(failing.out, ContainsSubstring("1 figure not drawn: gnuplot ended with code 3: no terminal"));
  const auto idle = finished.report("#!/bin/sh\nexit 0\n");
  CHECK(idle.exit_code == 0);
  CHECK_THAT(idle.out, ContainsSubstring("not drawn: gnuplot made no file"));
  CHECK(fs::exists(finished.run / "figures/tcp-rr-q6600-4-clients-timing.fsb.cache_to_cache.gnuplot"));
}
