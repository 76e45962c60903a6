// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace rig {

// Pairs of CPUs (a < b) in few words: {02, 03, 12, 13} is "0-1 and 2-3", {01, 23} is "0 and 1, 2 and 3",
// all pairs of 0 to 3 "0-3 among themselves".
std::string describe_pairs(const std::vector<std::pair<unsigned, unsigned>>& pairs);

}  // namespace rig
