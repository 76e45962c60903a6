// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/rank.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <random>

namespace rig {
namespace {

constexpr std::size_t most_exact = 100;  // values of both sides
constexpr double most_assignments = 100000;

std::vector<double> joined(const std::vector<double>& a, const std::vector<double>& b) {
  summarize(a);
  summarize(b);  // refuse what is not finite
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// Twice the mid-ranks, whole numbers.
std::vector<int> doubled_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<int> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<int>(begin + 1 + end);
    begin = end;
  }
  return ranks;
}

// How likely each doubled sum of `chosen` of the ranks is, all choices alike: dynamic programming over counts.
std::vector<double> sum_distribution(const std::vector<int>& ranks, std::size_t chosen) {
  std::vector<int> sorted = ranks;
  std::sort(sorted.rbegin(), sorted.rend());
  const auto most = static_cast<std::size_t>(
      std::accumulate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(chosen), 0));
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1, 0.0));
  ways[0][0] = 1;
  std::size_t taken = 0;
  for (const int rank : ranks) {
    const auto r = static_cast<std::size_t>(rank);
    taken = std::min(taken + 1, chosen);
    for (std::size_t k = taken; k >= 1; --k) {
      for (std::size_t sum = most; sum + 1 > r; --sum) ways[k][sum] += ways[k - 1][sum - r];
    }
  }
  const double all = std::accumulate(ways[chosen].begin(), ways[chosen].end(), 0.0);
  for (double& count : ways[chosen]) count /= all;
  return ways[chosen];
}

RankTest exact_test(const std::vector<int>& ranks, std::size_t n, int seen) {
  const auto likely = sum_distribution(ranks, n);
  const double middle = static_cast<double>(n) * static_cast<double>(ranks.size() + 1);  // of doubled sums
  RankTest test;
  test.p = test.least_p = 0;
  double furthest = 0;
  for (std::size_t sum = 0; sum < likely.size(); ++sum) {
    if (likely[sum] > 0) furthest = std::max(furthest, std::abs(static_cast<double>(sum) - middle));
  }
  for (std::size_t sum = 0; sum < likely.size(); ++sum) {
    const double distance = std::abs(static_cast<double>(sum) - middle);
    if (distance >= std::abs(seen - middle)) test.p += likely[sum];
    if (distance >= furthest) test.least_p += likely[sum];
  }
  test.p = std::min(1.0, test.p);
  test.least_p = std::min(1.0, test.least_p);
  return test;
}

RankTest normal_test(const std::vector<int>& ranks, std::size_t n, int seen) {
  const auto all = static_cast<double>(ranks.size()), na = static_cast<double>(n), nb = all - na;
  std::vector<int> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  double ties = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j < sorted.size() && sorted[j] == sorted[i]) ++j;
    const auto t = static_cast<double>(j - i);
    ties += t * t * t - t;
    i = j;
  }
  const double variance = na * nb / 12 * (all + 1 - ties / (all * (all - 1)));
  RankTest test;
  test.exact = false;
  if (!(variance > 0)) return test;
  const auto p_at = [&](double distance) {
    const double z = std::max(0.0, distance - 0.5) / std::sqrt(variance);
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z)));
  };
  test.p = p_at(std::abs(seen / 2.0 - na * (all + 1) / 2));
  test.least_p = p_at(na * nb / 2);
  return test;
}

double choices(std::size_t n, std::size_t k) {
  double value = 1;
  for (std::size_t i = 1; i <= k; ++i) value *= static_cast<double>(n - k + i) / static_cast<double>(i);
  return std::round(value);
}

}  // namespace

std::optional<RankTest> mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  const auto values = joined(a, b);
  if (a.empty() || b.empty()) return std::nullopt;
  const auto ranks = doubled_ranks(values);
  const int seen = std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(a.size()), 0);
  RankTest test = values.size() <= most_exact ? exact_test(ranks, a.size(), seen) : normal_test(ranks, a.size(), seen);
  const auto n = static_cast<double>(a.size());
  test.u = seen / 2.0 - n * (n + 1) / 2;
  return test;
}

double least_rank_p(std::size_t n) { return n == 0 ? 1 : std::min(1.0, 2 / choices(2 * n, n)); }

std::optional<Shift> shift_of(const std::vector<double>& a, const std::vector<double>& b, double confidence) {
  joined(a, b);
  if (a.empty() || b.empty()) return std::nullopt;
  std::vector<double> differences;
  for (const double x : a) {
    for (const double y : b) differences.push_back(x - y);
  }
  Shift shift{summarize(differences).median, std::nullopt};
  std::sort(differences.begin(), differences.end());
  // The largest k with P(U < k) <= alpha / 2 leaves out k differences at either end.
  const double alpha = 1 - confidence;
  std::size_t k = 0;
  const std::size_t all = a.size() + b.size();
  if (all <= most_exact) {
    std::vector<int> ranks(all);
    for (std::size_t i = 0; i < all; ++i) ranks[i] = static_cast<int>(2 * (i + 1));
    const auto likely = sum_distribution(ranks, a.size());
    double below = 0;
    for (std::size_t u = 0; u < differences.size(); ++u) {
      below += likely[2 * u + a.size() * (a.size() + 1)];
      if (below > alpha / 2) break;
      k = u + 1;
    }
  } else {
    const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
    const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), alpha / 2));
    const double rank = na * nb / 2 - z * std::sqrt(na * nb * (na + nb + 1) / 12);
    k = static_cast<std::size_t>(std::max(0.0, std::floor(rank)));
  }
  if (k >= 1) shift.interval = Interval{differences[k - 1], differences[differences.size() - k]};
  return shift;
}

std::optional<double> permutation_p(const std::vector<double>& a, const std::vector<double>& b, std::uint64_t seed) {
  std::vector<double> values = joined(a, b);
  if (a.empty() || b.empty()) return std::nullopt;
  // The difference of means hangs on the sum of the first side alone. Values are scaled so that none runs over.
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 1;
  for (double& value : values) value /= largest;
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const double middle = std::accumulate(values.begin(), values.end(), 0.0) * static_cast<double>(a.size()) /
                        static_cast<double>(values.size());
  const double seen = std::abs(std::accumulate(values.begin(), values.begin() + n, 0.0) - middle);
  const double slack = 1e-12 * static_cast<double>(values.size());
  double count = 0, far = 0;
  const auto weigh = [&](double sum) {
    ++count;
    if (std::abs(sum - middle) >= seen - slack) ++far;
  };
  if (choices(values.size(), a.size()) <= most_assignments) {
    std::vector<char> first(values.size(), 0);
    std::fill(first.begin(), first.begin() + n, char{1});
    do {
      double sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) sum += first[i] ? values[i] : 0;
      weigh(sum);
    } while (std::prev_permutation(first.begin(), first.end()));
    return far / count;
  }
  std::mt19937_64 generator(seed);
  weigh(middle + seen);
  for (int draw = 0; draw < static_cast<int>(most_assignments); ++draw) {
    for (std::size_t i = 0; i < a.size(); ++i)
      std::swap(values[i], values[i + static_cast<std::size_t>(generator() % (values.size() - i))]);
    weigh(std::accumulate(values.begin(), values.begin() + n, 0.0));
  }
  return far / count;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
  std::vector<double> adjusted(p.size(), 1);
  double most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    most = std::max(most, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = most;
  }
  return adjusted;
}

}  // namespace rig
