// SPDX-License-Identifier: GPL-2.0-or-later
// Summaries and comparisons of samples: pure. More of them in interval.h, rank.h, flags.h, levels.h, power.h and
// sequential.h.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rig/record/record.h"

namespace rig {

struct Summary {
  std::size_t n = 0;
  double mean = 0, median = 0, min = 0, max = 0;
  std::optional<double> stddev;      // of the sample; absent for n < 2
  std::optional<double> cv() const;  // stddev / mean, absent where that says nothing
};
Summary summarize(const std::vector<double>& values);  // n = 0 for none

// candidate / baseline of the means, with an interval of this confidence (Fieller's theorem with Welch's degrees of
// freedom) where both sides have at least two values and the baseline's mean is apart from zero.
struct Ratio {
  double value = 0;
  std::optional<std::pair<double, double>> interval;
};
std::optional<Ratio> ratio(const std::vector<double>& candidate, const std::vector<double>& baseline,
                           double confidence = 0.95);

// The same of boots in virtual time, which are perturbed on purpose and no sample of anything: in place
// of the interval the lowest and the highest ratio of any two of them. Of at least two boots a side,
// none of the baseline's zero or negative.
std::optional<Ratio> ratio_of_perturbed(const std::vector<double>& candidate, const std::vector<double>& baseline);

// The values of one metric (instance 0) of one cell, one for each repetition that ended Ok, in order.
std::vector<double> values_of(const RunRecord& record, const std::string& cell, const std::string& metric);

}  // namespace rig
