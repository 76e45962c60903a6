// SPDX-License-Identifier: GPL-2.0-or-later
// Running other programs: argument vectors only, never a shell.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rig {

struct Command {
  std::vector<std::string> argv;                // argv[0] is looked up in PATH where it has no slash
  std::filesystem::path directory = {};         // working directory; empty: the caller's
  std::map<std::string, std::string> env = {};  // set beside the caller's environment
  std::string input = {};                       // standard input, whole
  std::filesystem::path log = {};               // both outputs are appended here instead of captured
  std::chrono::milliseconds limit{0};           // then the process group is killed; 0: none
  int nice = 0;
};

struct ProcessResult {
  int exit_code = 0;  // 128 + signal where a signal ended it
  bool timed_out = false;
  std::string out;  // captured standard output (empty with a log)
  std::string err;  // captured standard error (empty with a log)
  bool ok() const { return exit_code == 0 && !timed_out; }
};

// Runs the command to its end. A request to stop kills its process group and throws InterruptedError.
// Throws HostLacks where the program is not found; any exit code is the caller's to judge.
ProcessResult run(const Command& command, std::stop_token stop = {});

// The same, and throws WorkError with the command line and the tail of its output unless it exits 0.
ProcessResult run_checked(const Command& command, std::stop_token stop = {});

// The program's full path in PATH, or nothing.
std::optional<std::filesystem::path> find_program(const std::string& name);

// "make -C 'dir with space' all": for messages and logs, never to be run.
std::string command_line(const std::vector<std::string>& argv);

}  // namespace rig
