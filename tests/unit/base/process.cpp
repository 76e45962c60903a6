// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/process.h"

#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "rig/base/base.h"

using namespace rig;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A program's outputs and exit code are captured apart") {
  const auto result = run({.argv = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  CHECK(result.out == "out\n");
  CHECK(result.err == "err\n");
  CHECK(result.exit_code == 3);
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("A signal's death is told as 128 and the signal") {
  CHECK(run({.argv = {"sh", "-c", "kill -TERM $$"}}).exit_code == 128 + SIGTERM);
}

TEST_CASE("Arguments reach the program as they are, never through a shell") {
  CHECK(run({.argv = {"printf", "%s|", "a b", "$HOME", "'\";"}}).out == "a b|$HOME|'\";|");
}

TEST_CASE("Standard input is given whole and is empty otherwise") {
  const std::string large(1 << 20, 'x');
  CHECK(run({.argv = {"cat"}, .input = large}).out == large);
  CHECK(run({.argv = {"cat"}}).out.empty());
}

TEST_CASE("Directory and environment are the command's own") {
  CHECK(run({.argv = {"pwd"}, .directory = "/"}).out == "/\n");
  CHECK(run({.argv = {"sh", "-c", "echo $RIG_X $PATH"}, .env = {{"RIG_X", "1"}, {"PATH", "/bin"}}}).out == "1 /bin\n");
}

TEST_CASE("A limit kills the whole process group") {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run({.argv = {"sh", "-c", "sleep 60 & echo $!; wait"}, .limit = 200ms});
  CHECK(result.timed_out);
  CHECK(std::chrono::steady_clock::now() - begin < 20s);
  const int grandchild = std::stoi(result.out);
  for (int i = 0; i < 100 && ::kill(grandchild, 0) == 0; ++i) {
    // where nothing reaps orphans a zombie stays: it runs no more
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    const std::string line((std::istreambuf_iterator<char>(stat)), {});
    if (line.find(") Z ") != std::string::npos) break;
    std::this_thread::sleep_for(20ms);
    REQUIRE(i < 99);
  }
}

TEST_CASE("A request to stop ends the program and is told as an interruption") {
  std::stop_source source;
  std::thread stopper([&] {
    std::this_thread::sleep_for(100ms);
    source.request_stop();
  });
  CHECK_THROWS_AS(run({.argv = {"sleep", "60"}}, source.get_token()), InterruptedError);
  stopper.join();
}

TEST_CASE("A background child that keeps the pipes open does not hold the caller") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK(run({.argv = {"sh", "-c", "sleep 30 & echo done"}}).out == "done\n");
  CHECK(std::chrono::steady_clock::now() - begin < 20s);
}

TEST_CASE("A log takes both outputs, appended") {
  const TempDir dir(std::filesystem::temp_directory_path());
  const auto log = dir.path() / "log";
  run({.argv = {"sh", "-c", "echo one; echo two >&2"}, .log = log});
  run({.argv = {"echo", "three"}, .log = log});
  CHECK(read_file(log) == "one\ntwo\nthree\n");
}

TEST_CASE("A program that is not there is named with its mend") {
  CHECK_THROWS_AS(run({.argv = {"rig-no-such-program"}}), HostLacks);
  CHECK_THROWS_WITH(run({.argv = {"rig-no-such-program"}}),
                    ContainsSubstring("rig-no-such-program is not on this host"));
}

TEST_CASE("run_checked shows the command line and the end of its output") {
  CHECK_THROWS_WITH(run_checked({.argv = {"sh", "-c", "echo broken >&2; exit 2"}}),
                    "sh -c 'echo broken >&2; exit 2': exit code 2\nbroken\n");
  CHECK_THROWS_WITH(run_checked({.argv = {"sleep", "60"}, .limit = 100ms}), "sleep 60: did not end within 100 ms");
}

TEST_CASE("A program that ends without reading its input ends nothing else") {
  CHECK(run({.argv = {"true"}, .input = std::string(1 << 20, 'x')}).ok());
}
