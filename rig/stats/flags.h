// SPDX-License-Identifier: GPL-2.0-or-later
// What is odd about a series. Nothing is ever dropped for it: the reader is told.
#pragma once
#include <cstddef>
#include <vector>

namespace rig {

struct Drift {
  double tau = 0;  // Kendall's: 1 where every later value is higher
  double p = 1;    // two-sided; exact without ties up to 60 values
  bool likely() const { return p < 0.01; }
};
Drift drift_of(const std::vector<double>& in_order);  // p = 1 for fewer than 3 values

// The places of values further than 3.5 robust deviations from the median (Iglewicz and Hoaglin 1993, by the median
// absolute deviation; by the mean one where half the values are equal). Of at least 5 values.
std::vector<std::size_t> outliers_of(const std::vector<double>& values);

}  // namespace rig
