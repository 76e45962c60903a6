// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/process_table.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

namespace rig {
namespace {

std::string read_proc(pid_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

ProcessState process_state(pid_t pid) {
  ProcessState found;
  const std::string stat = read_proc(pid, "stat");
  // the program's name stands in brackets and may hold anything, brackets too
  const std::size_t after = stat.rfind(')');
  if (after == std::string::npos) return found;
  std::istringstream words(stat.substr(after + 1));
  words >> found.state >> found.parent;
  return found;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto other = static_cast<pid_t>(std::stol(name));
    if (process_state(other).parent == pid) found.push_back(other);
  }
  return found;
}

std::string process_arguments(pid_t pid) { return read_proc(pid, "cmdline"); }

bool end_process(pid_t pid, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (::kill(pid, SIGKILL) != 0 || process_state(pid).state == 'Z') return true;
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace rig
