// SPDX-License-Identifier: GPL-2.0-or-later
// The watch over a QEMU while libvirt creates its domain. That call waits for QEMU's monitor without a limit
// and knows no way to be called off: a QEMU that does not answer is ended from here, and the call fails.
#pragma once
#include <chrono>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace rig {

// How long a QEMU may be stopped (SIGSTOP, a debugger) before that is taken for its end.
constexpr std::chrono::seconds stopped_patience{5};

class CreationWatch {
 public:
  // pid_file: where libvirt writes QEMU's process id. A request to stop, a QEMU that is stopped, and one that
  // is not there after `limit` end it.
  CreationWatch(std::filesystem::path pid_file, std::string guest, std::chrono::milliseconds limit,
                std::stop_token stop);
  // Why it ended QEMU; empty: it did not.
  std::string reason() const;

 private:
  void watch(const std::stop_token& over);
  std::filesystem::path pid_file_;
  std::string guest_;
  std::chrono::milliseconds limit_;
  std::stop_token stop_;
  mutable std::mutex mutex_;
  std::string reason_;
  std::jthread thread_;  // last: it ends first
};

// The process of that guest, by libvirt's pid file; 0 where there is none, or the number is another's.
pid_t qemu_of(const std::filesystem::path& pid_file, const std::string& guest);

// Answers whether a process has been stopped (state T, or t under a debugger) at every look for so long.
class StoppedWatch {
 public:
  bool stopped(pid_t process, std::chrono::steady_clock::time_point now);

 private:
  bool was_ = false;
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace rig
