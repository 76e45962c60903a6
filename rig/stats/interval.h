// SPDX-License-Identifier: GPL-2.0-or-later
// Intervals of means and ratios. Values must be finite (std::invalid_argument). Nothing where a value says
// nothing: fewer than two values, no spread, a rate that is not above zero.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rig/stats/stats.h"

namespace rig {

struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

// Of the mean, by Student's t.
std::optional<Interval> mean_interval(const std::vector<double>& values, double confidence = 0.95);

// Rates over equal amounts of work average so. All must be above zero.
std::optional<double> harmonic_mean(const std::vector<double>& values);

// candidate / baseline of the geometric means, by Welch's t on logarithms: for figures whose spread grows with
// them. All must be above zero.
std::optional<Ratio> ratio_of_logs(const std::vector<double>& candidate, const std::vector<double>& baseline,
                                   double confidence = 0.95);

// candidate - baseline of the means, by Welch's t. Nothing where a side is empty; no interval below two values a side.
struct Difference {
  double value = 0;
  std::optional<Interval> interval;
};
std::optional<Difference> difference(const std::vector<double>& candidate, const std::vector<double>& baseline,
                                     double confidence = 0.95);

// Percentile bootstrap (Efron 1979) of any statistic; the same for a seed on every platform. Too narrow for few
// values: with n of them about as narrow as Student's by sqrt((n - 1) / n) and the normal's quantile.
std::optional<Interval> bootstrap_interval(const std::vector<double>& values,
                                           const std::function<double(const std::vector<double>&)>& statistic,
                                           double confidence, std::uint64_t seed, int resamples = 2000);

}  // namespace rig
