// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>

#include "rig/base/base.h"
#include "rig/cli/progress_line.h"
#include "rig/cli/stop_signals.h"

using namespace rig;

namespace {

std::string written(const std::vector<Progress>& steps) {
  const TempDir dir(std::filesystem::temp_directory_path(), "rig-progress");
  const auto file = dir.path() / "out";
  std::FILE* out = std::fopen(file.c_str(), "w");
  {
    cli::ProgressLine line(out);
    for (const auto& step : steps) line.show(step);
  }
  std::fclose(out);
  return read_file(file);
}

}  // namespace

TEST_CASE("Progress says how far, what now and how long") {
  CHECK(cli::progress_text({3, 12, "tbench on q6600, plain: booting", std::chrono::seconds(245)}) ==
        "[3/12] tbench on q6600, plain: booting, 4 min 05 s left");
  CHECK(cli::progress_text({0, 0, "kernel plain: unpacking", {}}) == "kernel plain: unpacking");
  CHECK(cli::progress_text({2, 2, "cell: ok", std::chrono::seconds(0)}) == "[2/2] cell: ok");
}

TEST_CASE("Where no terminal is, progress is plain lines without control characters") {
  const std::string text = written({{0, 2, "kernel a: building, 1 objects", {}},
                                    {0, 2, "kernel a: building, 2 objects", {}},
                                    {0, 2, "kernel a: done", {}},
                                    {1, 2, "cell: ok", {}}});
  CHECK(text == "[0/2] kernel a: building, 1 objects\n[0/2] kernel a: done\n[1/2] cell: ok\n");
}

TEST_CASE("A line is cut to the terminal by characters") {
  CHECK(cli::fitted("abcdef", 6) == "abcdef");
  CHECK(cli::fitted("abcdefg", 6) == "abcde…");
  CHECK(cli::fitted("größere", 4) == "grö…");
  CHECK(cli::fitted("größ", 4) == "größ");
  CHECK(cli::fitted("[1/4] tcp-rr bytes=1 clients=1 on q6600, plain: booting, 9.0 s left", 50) ==
        "[1/4] tcp-rr bytes=1 clients…: booting, 9.0 s left");
}

TEST_CASE("The first signal requests a stop") {
  const cli::StopOnSignals signals;
  CHECK_FALSE(signals.token().stop_requested());
  ::raise(SIGTERM);
  for (int i = 0; i < 200 && !signals.token().stop_requested(); ++i) ::usleep(10000);
  CHECK(signals.token().stop_requested());
}

TEST_CASE("A second signal ends the process at once, the echo of the first does not") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const cli::StopOnSignals signals;
    ::raise(SIGINT);
    ::raise(SIGINT);  // Ctrl-C through the terminal and the parent
    ::usleep(400000);
    if (!signals.token().stop_requested()) ::_exit(1);
    ::raise(SIGINT);
    ::_exit(2);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
}
