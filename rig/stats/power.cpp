// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/power.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "rig/stats/rank.h"
#include "rig/stats/stats.h"

namespace rig {
namespace {

constexpr std::size_t never = 1000000;

}  // namespace

double power_of(std::size_t n, double change, double deviation, double alpha) {
  if (n < 2) return 0;
  const double shift = std::abs(change) / deviation * std::sqrt(static_cast<double>(n) / 2);
  using namespace boost::math;
  if (shift > 30) return 1;
  if (n > 2000) return cdf(complement(normal(), quantile(complement(normal(), alpha / 2)) - shift));
  const double degrees = 2.0 * static_cast<double>(n) - 2;
  const double t = quantile(complement(students_t(degrees), alpha / 2));
  return cdf(complement(non_central_t(degrees, shift), t));
}

std::size_t needed_by_t(double change, double deviation, double alpha, double power) {
  if (!(std::abs(change) > 0)) return never;
  if (!(deviation > 0)) return 2;
  std::size_t low = 2, high = 2;
  while (high < never && power_of(high, change, deviation, alpha) < power) {
    low = high;
    high *= 2;
  }
  if (high >= never) return never;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (power_of(middle, change, deviation, alpha) < power)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::size_t needed_by_rank(double change, double deviation, double alpha, double power) {
  const std::size_t by_t = needed_by_t(change, deviation, alpha, power);
  if (by_t >= never) return never;
  auto n = static_cast<std::size_t>(std::ceil(1.05 * static_cast<double>(by_t))) + 2;
  while (n < 100 && least_rank_p(n) > alpha) ++n;
  return n;
}

std::optional<std::size_t> needed_after(const std::vector<double>& a, const std::vector<double>& b, double change,
                                        double alpha, double power) {
  const auto ca = summarize(a).cv(), cb = summarize(b).cv();
  if (!ca || !cb) return std::nullopt;
  const auto da = static_cast<double>(a.size() - 1), db = static_cast<double>(b.size() - 1);
  const double pooled = (*ca * *ca * da + *cb * *cb * db) / (da + db);
  if (!(pooled > 0)) return std::nullopt;
  const double upper = pooled * (da + db) / boost::math::quantile(boost::math::chi_squared(da + db), 0.2);
  return needed_by_rank(change, std::sqrt(upper), alpha, power);
}

}  // namespace rig
