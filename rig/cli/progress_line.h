// SPDX-License-Identifier: GPL-2.0-or-later
// Progress on standard error: one line redrawn on a terminal, plain lines elsewhere.
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

#include "rig/run/run.h"

namespace rig::cli {

// "[3/12] tbench clients=2 on q6600, debian-6.1: booting, 4 min 05 s left".
std::string progress_text(const Progress& progress);

// The text cut to so many columns: before its last ": ", so that the stage stays, where that is short.
std::string fitted(const std::string& text, std::size_t columns);

// The width of the terminal behind this file descriptor, or otherwise.
int terminal_width(int fd, int otherwise);

class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* out);
  ~ProgressLine();  // leaves the terminal's line clean
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const Progress& progress);
  void clear();

 private:
  void plain(const Progress& progress);
  void put(const std::string& text);
  std::FILE* out_;
  bool redrawn_, coloured_, drawn_ = false;
  std::string last_stage_;
  std::size_t last_done_ = 0;
  std::chrono::steady_clock::time_point last_time_{};
};

}  // namespace rig::cli
