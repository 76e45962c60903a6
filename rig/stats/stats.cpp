// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/stats.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace rig {
namespace {

// Sums of figures near the largest double must not run over, nor lose the digits that differ:
// long double has 64 bits of fraction and more exponent on the machines rig runs on.
struct Moments {
  long double mean = 0, variance = 0;  // of the sample; variance 0 for n < 2
};

Moments moments(const std::vector<double>& values) {
  const auto n = static_cast<long double>(values.size());
  long double sum = 0;
  for (const double value : values) sum += value;
  Moments out{sum / n, 0};
  // The corrected two-pass algorithm (Chan, Golub and LeVeque 1983): the second term takes out what
  // the rounding of the mean brought in.
  long double squares = 0, rest = 0;
  for (const double value : values) {
    const long double d = value - out.mean;
    squares += d * d;
    rest += d;
  }
  if (values.size() > 1) out.variance = std::max(0.0L, (squares - rest * rest / n) / (n - 1));
  out.mean += rest / n;
  return out;
}

void check_finite(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw std::invalid_argument("statistics of a value that is not finite");
  }
}

}  // namespace

std::optional<double> Summary::cv() const {
  if (!stddev || !(mean > 0)) return std::nullopt;  // a share of the mean: for figures above zero
  return *stddev / mean;
}

Summary summarize(const std::vector<double>& values) {
  check_finite(values);
  Summary summary;
  summary.n = values.size();
  if (values.empty()) return summary;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.median = sorted.size() % 2 == 1 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
  const Moments m = moments(values);
  // Rounding may carry the mean of equal values past them.
  summary.mean = std::clamp(static_cast<double>(m.mean), summary.min, summary.max);
  if (values.size() > 1) summary.stddev = summary.min == summary.max ? 0.0 : static_cast<double>(std::sqrt(m.variance));
  return summary;
}

std::optional<Ratio> ratio_of_perturbed(const std::vector<double>& candidate, const std::vector<double>& baseline) {
  auto out = ratio(candidate, baseline);
  if (!out) return out;
  out->interval.reset();
  if (candidate.size() < 2 || baseline.size() < 2) return out;
  const auto [least, most] = std::minmax_element(candidate.begin(), candidate.end());
  const auto [least_base, most_base] = std::minmax_element(baseline.begin(), baseline.end());
  if (*least_base > 0 && *least >= 0) out->interval = {*least / *most_base, *most / *least_base};
  return out;
}

std::optional<Ratio> ratio(const std::vector<double>& candidate, const std::vector<double>& baseline,
                           double confidence) {
  check_finite(candidate);
  check_finite(baseline);
  if (candidate.empty() || baseline.empty()) return std::nullopt;
  const Moments a = moments(candidate), b = moments(baseline);
  const long double value = a.mean / b.mean;
  if (b.mean == 0 || !std::isfinite(static_cast<double>(value))) return std::nullopt;
  Ratio out{static_cast<double>(value), std::nullopt};
  if (candidate.size() < 2 || baseline.size() < 2) return out;

  const auto na = static_cast<long double>(candidate.size()), nb = static_cast<long double>(baseline.size());
  const long double va = a.variance / na, vb = b.variance / nb;  // of the means
  const long double scaled = value * value * vb;
  if (!(va + scaled > 0)) return out;  // no spread seen on either side: nothing to infer one from
  // Welch and Satterthwaite's degrees of freedom of a.mean - value * b.mean (Tamhane and Logan 2004).
  const long double df = (va + scaled) * (va + scaled) / (va * va / (na - 1) + scaled * scaled / (nb - 1));
  if (!std::isfinite(static_cast<double>(df)) || !(df > 0)) return out;
  const boost::math::students_t distribution(std::max(1.0, static_cast<double>(df)));
  const long double t = boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2));
  // Fieller (1954): the ratios r for which |a.mean - r b.mean| <= t sqrt(va + r² vb), the roots of
  // q r² - 2 p r + s. Bounded only where the baseline's mean is apart from zero (q > 0).
  const long double q = b.mean * b.mean - t * t * vb;
  const long double p = a.mean * b.mean;
  const long double s = a.mean * a.mean - t * t * va;
  const long double discriminant = p * p - q * s;
  if (!(q > 0) || discriminant < 0) return out;
  const long double root = std::sqrt(discriminant);
  out.interval = {static_cast<double>((p - root) / q), static_cast<double>((p + root) / q)};
  return out;
}

std::vector<double> values_of(const RunRecord& record, const std::string& cell, const std::string& metric) {
  std::map<int, double> by_repetition;
  for (const auto& attempt : record.attempts) {
    if (attempt.cell != cell || attempt.outcome != Outcome::Ok) continue;
    for (const auto& sample : attempt.samples) {
      if (sample.metric == metric && sample.instance == 0) by_repetition.try_emplace(attempt.repetition, sample.value);
    }
  }
  std::vector<double> values;
  for (const auto& [repetition, value] : by_repetition) values.push_back(value);
  return values;
}

}  // namespace rig
