// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "rig/stats/interval.h"

namespace rig {
namespace {

bool precise(const Precision& precision, const Repeated& one) {
  const double confidence = confidence_of_look(precision);
  if (one.baseline.empty()) {
    const auto interval = mean_interval(one.candidate, confidence);
    const double mean = summarize(one.candidate).mean;
    return interval && mean > 0 && (interval->high - interval->low) / 2 <= precision.ci * mean;
  }
  const auto compared = ratio(one.candidate, one.baseline, confidence);
  if (!compared || !compared->interval || !(compared->value > 0)) return false;
  return (compared->interval->second - compared->interval->first) / 2 <= precision.ci * compared->value;
}

}  // namespace

std::vector<int> looks_of(const Precision& precision) {
  std::vector<int> looks;
  for (double at = precision.min; at < precision.max; at = std::max(at * std::sqrt(2.0), at + 1)) {
    const int n = static_cast<int>(std::lround(at));
    if (n < precision.max && (looks.empty() || n > looks.back())) looks.push_back(n);
  }
  looks.push_back(precision.max);
  return looks;
}

double confidence_of_look(const Precision& precision) {
  return 1 - (1 - precision.confidence) / static_cast<double>(looks_of(precision).size());
}

Next next_step(const Precision& precision, const std::vector<Repeated>& compared, int repetitions) {
  if (repetitions < precision.min) return Next::Repeat;
  const auto looks = looks_of(precision);
  if (std::find(looks.begin(), looks.end(), std::min(repetitions, precision.max)) == looks.end()) return Next::Repeat;
  if (std::all_of(compared.begin(), compared.end(), [&](const Repeated& one) { return precise(precision, one); }))
    return Next::Enough;
  return repetitions >= precision.max ? Next::Most : Next::Repeat;
}

std::string to_text(const Precision& precision) {
  return fmt::format("until ci {:.12g} %, confidence {:.12g} %, min {}, max {}", 100 * precision.ci,
                     100 * precision.confidence, precision.min, precision.max);
}

std::optional<Precision> parse_precision(const std::string& text) {
  Precision found;
  double ci = 0, confidence = 0;
  if (std::sscanf(text.c_str(), "until ci %lf %%, confidence %lf %%, min %d, max %d", &ci, &confidence, &found.min,
                  &found.max) != 4)
    return std::nullopt;
  found.ci = ci / 100;
  found.confidence = confidence / 100;
  const bool sane = std::isfinite(ci) && ci > 0 && confidence > 0 && confidence < 100 && found.min >= 2 &&
                    found.max >= found.min && found.max <= 1000;
  return sane ? std::optional(found) : std::nullopt;
}

}  // namespace rig
