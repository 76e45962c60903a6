// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/interval.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <random>

namespace rig {
namespace {

double two_sided_t(double degrees, double confidence) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), (1 - confidence) / 2));
}

// Half the width of an interval of the difference of two means (Welch 1947); nothing without spread.
std::optional<double> welch_reach(const Summary& a, const Summary& b, double confidence) {
  const auto na = static_cast<double>(a.n), nb = static_cast<double>(b.n);
  const double va = *a.stddev * *a.stddev / na, vb = *b.stddev * *b.stddev / nb;
  if (!(va + vb > 0)) return std::nullopt;
  const double degrees = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
  if (!std::isfinite(degrees)) return std::nullopt;
  return two_sided_t(std::max(1.0, degrees), confidence) * std::sqrt(va + vb);
}

bool all_positive(const std::vector<double>& values) {
  return !values.empty() && std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

std::vector<double> logs(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) out.push_back(std::log(value));
  return out;
}

}  // namespace

std::optional<Interval> mean_interval(const std::vector<double>& values, double confidence) {
  const Summary s = summarize(values);
  if (!s.stddev || *s.stddev == 0) return std::nullopt;
  const auto n = static_cast<double>(s.n);
  const double reach = two_sided_t(n - 1, confidence) * *s.stddev / std::sqrt(n);
  return Interval{s.mean - reach, s.mean + reach};
}

std::optional<double> harmonic_mean(const std::vector<double>& values) {
  summarize(values);  // refuses what is not finite
  if (!all_positive(values)) return std::nullopt;
  long double sum = 0;
  for (const double value : values) sum += 1 / static_cast<long double>(value);
  return static_cast<double>(static_cast<long double>(values.size()) / sum);
}

std::optional<Ratio> ratio_of_logs(const std::vector<double>& candidate, const std::vector<double>& baseline,
                                   double confidence) {
  summarize(candidate);
  summarize(baseline);
  if (!all_positive(candidate) || !all_positive(baseline)) return std::nullopt;
  const Summary a = summarize(logs(candidate)), b = summarize(logs(baseline));
  Ratio out{std::exp(a.mean - b.mean), std::nullopt};
  if (!std::isfinite(out.value)) return std::nullopt;
  if (!a.stddev || !b.stddev) return out;
  if (const auto reach = welch_reach(a, b, confidence))
    out.interval = {std::exp(a.mean - b.mean - *reach), std::exp(a.mean - b.mean + *reach)};
  return out;
}

std::optional<Difference> difference(const std::vector<double>& candidate, const std::vector<double>& baseline,
                                     double confidence) {
  const Summary a = summarize(candidate), b = summarize(baseline);
  if (a.n == 0 || b.n == 0) return std::nullopt;
  Difference out{a.mean - b.mean, std::nullopt};
  if (!a.stddev || !b.stddev) return out;
  if (const auto reach = welch_reach(a, b, confidence)) out.interval = Interval{out.value - *reach, out.value + *reach};
  return out;
}

std::optional<Interval> bootstrap_interval(const std::vector<double>& values,
                                           const std::function<double(const std::vector<double>&)>& statistic,
                                           double confidence, std::uint64_t seed, int resamples) {
  const Summary s = summarize(values);
  if (!s.stddev || *s.stddev == 0 || resamples < 1) return std::nullopt;
  std::mt19937_64 generator(seed);
  std::vector<double> drawn(values.size()), statistics;
  for (int i = 0; i < resamples; ++i) {
    // The remainder's bias is below n / 2^64.
    for (auto& value : drawn) value = values[static_cast<std::size_t>(generator() % values.size())];
    statistics.push_back(statistic(drawn));
  }
  std::sort(statistics.begin(), statistics.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * resamples) - 1;
    return statistics[static_cast<std::size_t>(std::clamp(rank, 0.0, resamples - 1.0))];
  };
  return Interval{at((1 - confidence) / 2), at((1 + confidence) / 2)};
}

}  // namespace rig
