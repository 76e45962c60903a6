// SPDX-License-Identifier: GPL-2.0-or-later
// The command line: one function that takes the arguments and gives the exit code.
#pragma once
#include <string>
#include <vector>

namespace rig {

// Runs the command; never throws. Output to standard output, messages and progress to standard error.
int main_command(const std::vector<std::string>& arguments);

// Whether these arguments boot guests or build: then start_under_reaper() must come before main_command(), so
// that a rig that is killed leaves neither a guest nor a make behind.
bool starts_work(const std::vector<std::string>& arguments);

}  // namespace rig
