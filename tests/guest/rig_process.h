// SPDX-License-Identifier: GPL-2.0-or-later
// The built rig beside the test, so that it can be disturbed: what it says, its processes and its guests.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "rig/base/base.h"
#include "rig/vm/process_table.h"
#include "rig_program.h"

namespace rig::test {

using namespace std::chrono_literals;

// QEMU's processes of a run's attempts, by the names that their domains have: another run of the same cells has others.
inline std::vector<pid_t> qemus_of_run(const fs::path& run) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(run / "cells", error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() != "domain.xml") continue;
    const std::string xml = read_file(it->path());
    const auto begin = xml.find("<name>") + 6;
    names.push_back("guest=" + xml.substr(begin, xml.find("</name>") - begin) + ",");
  }
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto pid = parse_integer(entry.path().filename().string());
    if (!pid) continue;
    const std::string arguments = process_arguments(static_cast<pid_t>(*pid));
    for (const auto& name : names) {
      if (arguments.find(name) != std::string::npos) found.push_back(static_cast<pid_t>(*pid));
    }
  }
  return found;
}

// The one run below a directory; empty where there is none yet.
inline fs::path run_below(const fs::path& out) {
  std::error_code error;
  for (fs::directory_iterator it(out, error), end; !error && it != end; it.increment(error)) return it->path();
  return {};
}

class RigProcess {
 public:
  struct Surroundings {
    std::map<std::string, std::string> environment = {};
    mode_t umask = 022;
    bool closed_output = false;
  };
  explicit RigProcess(std::vector<std::string> arguments) : RigProcess(std::move(arguments), Surroundings{}) {}
  RigProcess(std::vector<std::string> arguments, const Surroundings& around)
      : log_(cache_directory(), "test-rig"),
        err_((log_.path() / "err").string()),
        out_((log_.path() / "out").string()) {
    arguments.insert(arguments.begin(), std::string(RIG_BUILD_DIR) + "/rig");
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setsid();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
    ::umask(022);
    if (::chdir(RIG_SOURCE_DIR) != 0) ::_exit(126);
    const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int none = ::open("/dev/null", O_RDONLY);
    if (::dup2(none, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) ::_exit(126);
    if (around.closed_output) ::close(1);
    ::setenv("NO_COLOR", "1", 1);
    for (const auto& [name, value] : around.environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::umask(around.umask);
    ::execv(argv[0], argv.data());
    ::_exit(126);
  }
  RigProcess(const RigProcess&) = delete;
  RigProcess& operator=(const RigProcess&) = delete;
  ~RigProcess() {
    if (!ended_) signal_all(SIGKILL);
    wait();
  }

  pid_t pid() const { return pid_; }
  // The process that does the work: rig's child, which is rig too. 0 once it has ended.
  pid_t worker() const {
    for (const pid_t child : children_of(pid_)) {
      if (process_arguments(child).find("/rig") != std::string::npos) return child;
    }
    return 0;
  }
  // empty until the program has made it
  std::string err() const { return fs::exists(err_) ? read_file(err_) : ""; }
  std::string out() const { return read_file(out_); }
  void signal(int number) const { ::kill(pid_, number); }
  // Both of rig's processes at one blow, as an out-of-memory killer or a reboot would.
  void signal_all(int number) const {
    const pid_t child = worker();
    ::kill(pid_, number);
    if (child > 0) ::kill(child, number);
  }
  bool running() {
    if (!ended_ && ::waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
    return !ended_;
  }
  // Waits until its standard error holds a text; false where it ends before.
  bool says(const std::string& text, std::chrono::seconds limit = 300s) {
    return until([&] { return fs::exists(err_) && err().find(text) != std::string::npos; }, limit);
  }
  template <typename Condition>
  bool until(Condition met, std::chrono::seconds limit = 300s) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      const bool alive = running();
      if (met()) return true;
      if (!alive) return false;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  // Its exit code; of one ended by a signal 128 and the number, as shells have it.
  int wait() {
    if (!ended_) ::waitpid(pid_, &status_, 0);
    ended_ = true;
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }
  // The same where it ends in time; -1 where it does not.
  int wait_for(std::chrono::seconds limit) {
    return until([] { return false; }, limit) || !running() ? wait() : -1;
  }

 private:
  TempDir log_;
  std::string err_, out_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace rig::test
