// SPDX-License-Identifier: GPL-2.0-or-later
// SIGINT, SIGTERM and SIGHUP as a stop token.
#pragma once
#include <stop_token>
#include <thread>

namespace rig::cli {

// While it lives the first of these signals requests a stop, so that work ends tidily; one more
// ends the process at once. One at a time a process.
class StopOnSignals {
 public:
  StopOnSignals();
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::thread watcher_;
};

}  // namespace rig::cli
