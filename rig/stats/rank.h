// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that take no notice of a distribution's form. Exact where it can be afforded, so that no tail, however
// heavy, raises the rate of false alarms. Values must be finite (std::invalid_argument).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "rig/stats/interval.h"

namespace rig {

struct RankTest {
  double u = 0;        // of the first side; half a point for a tie
  double p = 1;        // two-sided
  double least_p = 1;  // the smallest p that sides of these sizes with these ties can give
  bool exact = true;   // otherwise the normal approximation with ties' and continuity's corrections
};

// Mann and Whitney's test by the permutation distribution of mid-ranks, exact up to 100 values in all. Two-sided:
// all assignments at least as far from the middle. Nothing where a side is empty.
std::optional<RankTest> mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

// The smallest two-sided p of n values a side without ties.
double least_rank_p(std::size_t n);

// Hodges and Lehmann's shift, the median of all differences a - b, with the interval of those shifts that the exact
// test does not reject at 1 - confidence (without ties). No interval where the sides are too small for it.
struct Shift {
  double value = 0;
  std::optional<Interval> interval;
};
std::optional<Shift> shift_of(const std::vector<double>& a, const std::vector<double>& b, double confidence = 0.95);

// The permutation test of a difference of means, two-sided: all assignments where they are at most 100,000, else so
// many drawn with the seed, the one seen among them (Phipson and Smyth 2010).
std::optional<double> permutation_p(const std::vector<double>& a, const std::vector<double>& b, std::uint64_t seed = 1);

// Holm's step-down adjustment (1979): in the order given.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace rig
