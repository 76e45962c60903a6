// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/leftovers.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "rig/base/error.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr int max_rounds = 200;  // of 20 ms

bool carries(const fs::path& process, const std::string& mark) {
  std::ifstream stream(process / "environ", std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return ('\0' + text.str()).find('\0' + mark + '\0') != std::string::npos;
}

bool own(const fs::path& process) {
  struct stat info{};
  return ::stat(process.c_str(), &info) == 0 && info.st_uid == ::geteuid();
}

}  // namespace

void end_leftovers(const fs::path& work) {
  const std::string mark = std::string(build_marker) + "=" + work.string();
  // They may start others while this looks round: until none is left.
  for (int round = 0; round < max_rounds; ++round) {
    bool found = false;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      pid_t pid = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
      if (error != std::errc() || end != name.data() + name.size() || pid == ::getpid()) continue;
      if (!own(entry.path()) || !carries(entry.path(), mark)) continue;
      ::kill(pid, SIGKILL);
      found = true;
    }
    if (!found) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw WorkError("processes of an earlier build in " + work.string() + " do not end; end them and try again");
}

}  // namespace rig::kernel
