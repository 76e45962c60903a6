// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions from /proc and /sys below a root.
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "rig/host/conditions.h"

namespace rig {

// CPU time by CPU (os index), in ticks; -1 is the sum of all.
struct CpuTimes {
  std::uint64_t total = 0, idle = 0, steal = 0;
};
// Of /proc/stat's text. Guest time is part of user time there and counted once.
std::map<int, CpuTimes> parse_proc_stat(const std::string& text);

// What was idle at least nine tenths of the time between two readings.
std::set<int> idle_between(const std::map<int, CpuTimes>& before, const std::map<int, CpuTimes>& after);

// All but steal and busy.
Conditions read_conditions(const std::filesystem::path& root);

// The first line of a file below root, without its end; nothing where it cannot be read.
std::optional<std::string> first_line(const std::filesystem::path& file);

}  // namespace rig
