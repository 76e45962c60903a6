// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/levels.h"

#include <algorithm>
#include <cmath>

namespace rig {

std::optional<Levels> levels_of(const std::vector<std::vector<double>>& boots, double confidence) {
  std::vector<double> means, all;
  double squares_of_sizes = 0, inside = 0;
  for (const auto& rounds : boots) {
    if (rounds.empty()) continue;
    const Summary summary = summarize(rounds);
    const auto m = static_cast<double>(summary.n);
    means.push_back(summary.mean);
    squares_of_sizes += m * m;
    if (summary.stddev) inside += *summary.stddev * *summary.stddev * (m - 1);
    all.insert(all.end(), rounds.begin(), rounds.end());
  }
  if (means.size() < 2 || all.size() == means.size()) return std::nullopt;
  const auto n = static_cast<double>(means.size()), rounds = static_cast<double>(all.size());
  const double grand = summarize(all).mean;
  double outside = 0;
  for (const auto& boot : boots) {
    if (boot.empty()) continue;
    const double d = summarize(boot).mean - grand;
    outside += static_cast<double>(boot.size()) * d * d;
  }
  Levels levels;
  levels.mean = summarize(means).mean;
  levels.interval = mean_interval(means, confidence);
  levels.within = inside / (rounds - n);
  const double usual = (rounds - squares_of_sizes / rounds) / (n - 1);  // rounds a boot, were they equal
  levels.between = std::max(0.0, (outside / (n - 1) - levels.within) / usual);
  return levels;
}

FirstRounds first_rounds(const std::vector<std::vector<double>>& boots) {
  FirstRounds first;
  std::vector<double> chance{1};  // of so many boots whose first round is the lowest, were all rounds alike
  for (const auto& rounds : boots) {
    if (rounds.size() < 2) continue;
    ++first.boots;
    const auto [low, high] = std::minmax_element(rounds.begin() + 1, rounds.end());
    if (rounds.front() < *low) ++first.lowest;
    if (rounds.front() > *high) ++first.highest;
    const double one = 1 / static_cast<double>(rounds.size());
    chance.push_back(0);
    for (std::size_t i = chance.size() - 1; i > 0; --i) chance[i] = chance[i] * (1 - one) + chance[i - 1] * one;
    chance.front() *= 1 - one;
  }
  double tail = 0;
  for (std::size_t i = std::max(first.lowest, first.highest); i < chance.size(); ++i) tail += chance[i];
  if (first.boots > 0) first.p = std::min(1.0, 2 * tail);
  return first;
}

int best_rounds(const Levels& levels, double boot_cost, double round_cost) {
  constexpr double most = 1000;
  if (!(levels.within > 0) || !(boot_cost > 0) || !(round_cost > 0)) return 1;
  if (!(levels.between > 0)) return static_cast<int>(most);
  const double best = std::sqrt(boot_cost / round_cost * levels.within / levels.between);
  return static_cast<int>(std::clamp(std::ceil(best), 1.0, most));
}

}  // namespace rig
