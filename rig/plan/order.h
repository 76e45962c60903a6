// SPDX-License-Identifier: GPL-2.0-or-later
// The order of execution: what is compared is run side by side, so that a slow drift of the host
// touches every kernel alike.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "rig/plan/plan.h"

namespace rig {

// A number below bound (at least 1), each equally likely, the same for a seed on every platform
// (std::uniform_int_distribution and std::shuffle are not).
std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound);

// Every cell once a repetition. Within a repetition the comparisons (cells that differ in nothing
// but the kernel) come in random order, the kernels of each side by side in random order.
std::vector<Attempt> interleave(const std::vector<Cell>& cells, int repetitions, std::uint64_t seed);

}  // namespace rig
