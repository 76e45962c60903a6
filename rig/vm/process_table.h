// SPDX-License-Identifier: GPL-2.0-or-later
// Other processes, as /proc shows them.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace rig {

struct ProcessState {
  pid_t parent = 0;
  char state = '?';  // 'Z': ended, not reaped yet
};
// Nothing known (parent 0) where there is no such process.
ProcessState process_state(pid_t pid);

std::vector<pid_t> children_of(pid_t pid);

// Its arguments, each ended by a NUL; empty where it is gone or has none.
std::string process_arguments(pid_t pid);

// Ends it by SIGKILL and waits until it has ended (reaped or not). False where it still runs then.
bool end_process(pid_t pid, std::chrono::milliseconds patience);

}  // namespace rig
