// SPDX-License-Identifier: GPL-2.0-or-later
// How many repetitions tell a difference of a size.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace rig {

// The power of a two-sided t test with n a side: a change and a deviation in the same unit (as shares of the mean).
double power_of(std::size_t n, double change, double deviation, double alpha);

// The n a side that it takes; at least 2, at most 1,000,000, which stands for "never".
std::size_t needed_by_t(double change, double deviation, double alpha, double power);

// The same for rig's own verdicts, which go by ranks and their exact distribution: some 5 % more than t (the
// efficiency of ranks under normal noise is 3 / pi), two more for its steps, and never fewer than can reach alpha.
std::size_t needed_by_rank(double change, double deviation, double alpha, double power);

// The n a side after which a change of this share of the mean is found, planned from figures seen: by the upper
// 80 % limit of their common coefficient of variation, for a few boots may show less spread than there is.
// Nothing where they do not have two values a side or no spread.
std::optional<std::size_t> needed_after(const std::vector<double>& a, const std::vector<double>& b, double change,
                                        double alpha, double power = 0.9);

}  // namespace rig
