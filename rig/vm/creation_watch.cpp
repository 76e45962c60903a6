// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/creation_watch.h"

#include <fmt/format.h>

#include <csignal>
#include <fstream>

#include "rig/base/units.h"
#include "rig/vm/process_table.h"

namespace rig {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_every{50};

}  // namespace

pid_t qemu_of(const std::filesystem::path& pid_file, const std::string& guest) {
  std::ifstream in(pid_file);
  std::string word;
  in >> word;
  const auto pid = parse_integer(word);
  if (!pid || *pid <= 1 || *pid > INT32_MAX) return 0;
  const auto process = static_cast<pid_t>(*pid);
  return process_arguments(process).find("guest=" + guest + ",") != std::string::npos ? process : 0;
}

bool StoppedWatch::stopped(pid_t process, Clock::time_point now) {
  const char state = process > 0 ? process_state(process).state : '?';
  const bool is = state == 'T' || state == 't';
  if (is && !was_) since_ = now;
  was_ = is;
  return is && now - since_ >= stopped_patience;
}

CreationWatch::CreationWatch(std::filesystem::path pid_file, std::string guest, std::chrono::milliseconds limit,
                             std::stop_token stop)
    : pid_file_(std::move(pid_file)),
      guest_(std::move(guest)),
      limit_(limit),
      stop_(std::move(stop)),
      thread_([this](const std::stop_token& over) { watch(over); }) {}

std::string CreationWatch::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void CreationWatch::watch(const std::stop_token& over) {
  const auto begin = Clock::now();
  StoppedWatch stopped;
  while (!over.stop_requested()) {
    std::this_thread::sleep_for(look_every);
    const pid_t process = qemu_of(pid_file_, guest_);
    if (process == 0) continue;
    std::string why;
    if (stop_.stop_requested())
      why = "interrupted";
    else if (stopped.stopped(process, Clock::now()))
      why = fmt::format("QEMU {} was stopped from outside (SIGSTOP, or a debugger) while it started", process);
    else if (Clock::now() - begin >= limit_)
      why = fmt::format("QEMU {} did not come up within {}", process, format_duration(limit_));
    if (why.empty() || over.stop_requested()) continue;
    {
      const std::lock_guard lock(mutex_);
      if (reason_.empty()) reason_ = why;
    }
    ::kill(process, SIGKILL);
  }
}

}  // namespace rig
