// SPDX-License-Identifier: GPL-2.0-or-later
// Commands without a guest in odd surroundings: no output, a reader that goes away, places that cannot be written.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <thread>

#include "desk.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// rig with its descriptors as `prepare` leaves them; what it says on standard error.
struct Ended {
  int code = 0;
  std::string err;
};
Ended rig_with(const Desk& desk, std::vector<std::string> arguments, const std::function<void()>& prepare) {
  arguments.insert(arguments.begin(), fs::path(RIG_BUILD_DIR) / "rig");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string log = (desk.dir.path() / "err").string(), home = desk.dir.path().string();
  const pid_t child = ::fork();
  if (child == 0) {
    const int err = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (::dup2(err, 2) < 0 || ::chdir(home.c_str()) != 0) ::_exit(126);
    ::setenv("HOME", home.c_str(), 1);
    ::setenv("RIG_DATA", RIG_SOURCE_DIR, 1);
    ::signal(SIGPIPE, SIG_DFL);
    prepare();
    ::execv(argv[0], argv.data());
    ::_exit(126);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read_file(log)};
}

}  // namespace

TEST_CASE("A closed standard output is told, for what was asked is lost") {
  const Desk desk;
  for (const auto& arguments : {std::vector<std::string>{"list"}, {"help"}, {"show", "topology", "q6600"}}) {
    const Ended ended = rig_with(desk, arguments, [] { ::close(1); });
    CHECK(ended.code == 4);
    CHECK_THAT(ended.err, ContainsSubstring("cannot write to standard output: Bad file descriptor"));
  }
}

TEST_CASE("A reader that goes away, as head does, ends no command with a message") {
  const Desk desk;
  for (const auto& arguments : {std::vector<std::string>{"list"}, {"help"}, {"plan", RIG_SOURCE_DIR "/matrix.yaml"}}) {
    const Ended ended = rig_with(desk, arguments, [] {
      int ends[2];
      if (::pipe(ends) != 0 || ::dup2(ends[1], 1) < 0) ::_exit(126);
      ::close(ends[0]);
      ::close(ends[1]);
    });
    CHECK(ended.code == 0);
    CHECK(ended.err.empty());
  }
}

TEST_CASE("A full device as standard output is told") {
  const Desk desk;
  const Ended ended = rig_with(desk, {"list"}, [] {
    const int full = ::open("/dev/full", O_WRONLY);
    if (::dup2(full, 1) < 0) ::_exit(126);
  });
  CHECK(ended.code == 4);
  CHECK(ended.err == "rig: cannot write to standard output: No space left on device\n");
}

TEST_CASE("A place for runs that cannot be made is bad input, told before anything is built") {
  const Desk desk;
  const std::string matrix = std::string(RIG_SOURCE_DIR) + "/matrix.yaml";
  for (const auto& [place, why] : {std::pair<std::string, std::string>{"/proc/x", "--out: cannot make /proc/x: "},
                                   {"/sys/x", "--out: cannot make /sys/x: "},
                                   {"/dev/null/x", "--out: "},
                                   {std::string(300, 'n'), "File name too long"}}) {
    const auto result = desk.rig({"run", matrix, "--accel", "tcg", "--out", place});
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, ContainsSubstring(why));
    CHECK(desk.left_behind({}).empty());
  }
}

TEST_CASE("A cache that cannot be made is something the host lacks, for each command that needs one") {
  const Desk desk;
  for (const auto& arguments : {std::vector<std::string>{"run", RIG_SOURCE_DIR "/matrix.yaml", "--accel", "tcg"},
                                {"build", "kernel", "debian-6.1"},
                                {"build", "image", "bench"},
                                {"doctor"}}) {
    const Ended ended = rig_with(desk, arguments, [] { ::setenv("XDG_CACHE_HOME", "/proc/cache", 1); });
    INFO(ended.err);
    CHECK(ended.code == 3);
    CHECK_THAT(ended.err, ContainsSubstring("rig's cache cannot be used: cannot make the directory /proc/cache/rig"));
    CHECK_THAT(ended.err, ContainsSubstring("mend: "));
  }
}
