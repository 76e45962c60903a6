// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/flags.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "rig/stats/stats.h"

namespace rig {
namespace {

// P(|S| >= seen) of Kendall's S, by the numbers of permutations with so many inversions.
double exact_p(std::size_t n, long seen) {
  std::vector<double> likely = {1};
  for (std::size_t i = 2; i <= n; ++i) {
    std::vector<double> next(likely.size() + i - 1, 0.0);
    for (std::size_t k = 0; k < likely.size(); ++k) {
      for (std::size_t j = 0; j < i; ++j) next[k + j] += likely[k] / static_cast<double>(i);
    }
    likely = std::move(next);
  }
  const auto pairs = static_cast<long>(n * (n - 1) / 2);
  double p = 0;
  for (std::size_t k = 0; k < likely.size(); ++k) {
    if (std::abs(pairs - 2 * static_cast<long>(k)) >= std::abs(seen)) p += likely[k];
  }
  return std::min(1.0, p);
}

double median_of(const std::vector<double>& values) { return summarize(values).median; }

}  // namespace

Drift drift_of(const std::vector<double>& in_order) {
  summarize(in_order);
  const std::size_t n = in_order.size();
  Drift drift;
  if (n < 3) return drift;
  long s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) s += (in_order[j] > in_order[i]) - (in_order[j] < in_order[i]);
  }
  std::vector<double> sorted = in_order;
  std::sort(sorted.begin(), sorted.end());
  double tied_pairs = 0, tie_terms = 0;
  for (std::size_t i = 0; i < n;) {
    std::size_t j = i;
    while (j < n && sorted[j] == sorted[i]) ++j;
    const auto t = static_cast<double>(j - i);
    tied_pairs += t * (t - 1) / 2;
    tie_terms += t * (t - 1) * (2 * t + 5);
    i = j;
  }
  const auto m = static_cast<double>(n);
  const double pairs = m * (m - 1) / 2;
  if (pairs == tied_pairs) return drift;
  drift.tau = static_cast<double>(s) / std::sqrt(pairs * (pairs - tied_pairs));
  if (tied_pairs == 0 && n <= 60) {
    drift.p = exact_p(n, s);
    return drift;
  }
  const double variance = (m * (m - 1) * (2 * m + 5) - tie_terms) / 18;
  const double z = std::max(0.0, std::abs(static_cast<double>(s)) - 1) / std::sqrt(variance);
  drift.p = std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z)));
  return drift;
}

std::vector<std::size_t> outliers_of(const std::vector<double>& values) {
  summarize(values);
  if (values.size() < 5) return {};
  const double middle = median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  double unit = 1.482602218505602 * median_of(distances);  // a normal deviation for each median one
  if (unit == 0) unit = 1.2533141373155 * summarize(distances).mean;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (unit > 0 && distances[i] > 3.5 * unit) found.push_back(i);
  }
  return found;
}

}  // namespace rig
