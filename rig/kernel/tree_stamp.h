// SPDX-License-Identifier: GPL-2.0-or-later
// How a tree looks without reading a file of it: names, sizes, times, inodes.
#pragma once
#include <ctime>
#include <filesystem>
#include <stop_token>
#include <string>

namespace rig::kernel {

struct TreeStamp {
  std::string digest;      // another whenever a file or link below the tree is made, removed, renamed or written to
  std::time_t newest = 0;  // of all times of change, of directories too
  std::string listing;     // of a walk: what as_listed() takes (rig/kernel/tree_listing.h)
};

// How many threads look at a tree.
unsigned walking_threads();

// Of all files and links but git's own, by as many threads as this host has CPUs. Throws WorkError where a
// directory cannot be read, InterruptedError.
TreeStamp tree_stamp(const std::filesystem::path& tree, const std::stop_token& stop);

}  // namespace rig::kernel
