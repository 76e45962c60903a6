// SPDX-License-Identifier: GPL-2.0-or-later
// Levels, power, drift and outliers. Expected values: R 4.2.2 (Debian 4.2.2.20221110-2), the call named at each.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rig/stats/flags.h"
#include "rig/stats/levels.h"
#include "rig/stats/power.h"

using Catch::Matchers::WithinRel;
using namespace rig;

namespace {

// The 2009 post's same-CPU tests of 2.6.25 to 2.6.29, each kernel taken for a boot and each test for a round.
const std::vector<std::vector<double>> five_boots = {{84.28, 84.29, 84.37, 84.3},
                                                     {84.72, 84.38, 84.41, 84.68},
                                                     {84.56, 84.44, 84.41, 84.58},
                                                     {84.7, 84.43, 84.47, 84.48},
                                                     {84.91, 84.67, 84.69, 84.75}};

}  // namespace

TEST_CASE("Boots and rounds have the variances of R's anova(aov(y ~ boot))") {
  const auto levels = levels_of(five_boots);
  REQUIRE(levels);
  CHECK_THAT(levels->within, WithinRel(0.01340333333333, 1e-10));                     // Mean Sq of the residuals
  CHECK_THAT(levels->between, WithinRel((0.1004075 - 0.01340333333333) / 4, 1e-10));  // and of the boots
  CHECK_THAT(levels->mean, WithinRel(84.526, 1e-12));
  CHECK_THAT(levels->interval->low, WithinRel(84.32927607974, 1e-12));  // t.test(of the boots' means)
  CHECK_THAT(levels->interval->high, WithinRel(84.72272392026, 1e-12));
}

TEST_CASE("So have boots of unequal numbers of rounds") {
  const auto levels = levels_of({{84.28, 84.29, 84.37, 84.3}, {84.72, 84.38}, {84.56, 84.44, 84.41}});
  REQUIRE(levels);
  CHECK_THAT(levels->within, WithinRel(0.01256666666667, 1e-9));
  CHECK_THAT(levels->between, WithinRel((0.0448 - 0.01256666666667) / 2.888888888889, 1e-9));
}

TEST_CASE("Rounds alone are no repetitions: one boot has no levels, nor have boots of one round") {
  CHECK_FALSE(levels_of({{1, 2, 3}}));
  CHECK_FALSE(levels_of({{1}, {2}, {3}}));
}

TEST_CASE("The best number of rounds is sqrt(cost ratio x variance ratio), rounded up (Kalibera and Jones)") {
  Levels levels;
  levels.within = 4;
  levels.between = 1;
  CHECK(best_rounds(levels, 9, 1) == 6);
  CHECK(best_rounds(levels, 1, 100) == 1);
  levels.between = 0;
  CHECK(best_rounds(levels, 9, 1) == 1000);
  levels.within = 0;
  CHECK(best_rounds(levels, 9, 1) == 1);
}

TEST_CASE("A first round that stands out too often asks for a warm-up: R's pbinom, doubled") {
  const FirstRounds post = first_rounds(five_boots);
  CHECK(post.boots == 5);
  CHECK(post.highest == 3);
  CHECK(post.lowest == 1);
  CHECK_THAT(post.p, WithinRel(0.20703125, 1e-12));  // 2 * (1 - pbinom(2, 5, 1/4))
  CHECK_FALSE(post.likely());
  const FirstRounds cold = first_rounds({{9, 5, 6}, {8, 4, 5}, {9, 7, 7}, {8, 5, 5}, {7, 6, 6}, {9, 3, 4}});
  CHECK(cold.highest == 6);
  CHECK_THAT(cold.p, WithinRel(2.0 / 729, 1e-12));  // 2 * (1/3)^6
  CHECK(cold.likely());
  CHECK_FALSE(first_rounds({{5, 5, 5}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}}).likely());
  CHECK(first_rounds({{1}, {2}, {3}}).p == 1);
}

TEST_CASE("How many are needed is R's power.t.test(delta, sd, sig.level, power)$n, rounded up") {
  CHECK(needed_by_t(1, 0.5, 0.05, 0.8) == 6);      // 5.09
  CHECK(needed_by_t(1, 1, 0.05, 0.8) == 17);       // 16.71
  CHECK(needed_by_t(1, 2, 0.05, 0.8) == 64);       // 63.77
  CHECK(needed_by_t(1, 5, 0.05, 0.8) == 394);      // 393.41
  CHECK(needed_by_t(5, 2, 0.05, 0.9) == 5);        // 4.57
  CHECK(needed_by_t(0.05, 0.02, 0.01, 0.9) == 7);  // 6.63
  CHECK_THAT(power_of(8, 5, 2, 0.01), WithinRel(0.9644337129068, 1e-7));
}

TEST_CASE("Ranks need a few more, and never fewer than can reach alpha at all") {
  CHECK(needed_by_rank(0.05, 0.02, 0.01, 0.9) == 10);
  CHECK(needed_by_rank(1, 0.001, 0.05, 0.8) >= 4);
  CHECK(needed_by_rank(1, 0.001, 0.001, 0.8) >= 7);  // 2 / choose(14, 7) = 0.00058, 2 / choose(12, 6) = 0.0022
  CHECK(needed_by_t(0, 1, 0.05, 0.8) == 1000000);
}

TEST_CASE("Drift is Kendall's tau against the order: R's cor.test(1:n, x, method = \"kendall\")") {
  const auto rising = drift_of({10.1, 10.2, 10.0, 10.4, 10.5, 10.3, 10.8, 10.9});
  CHECK_THAT(rising.tau, WithinRel(0.7142857142857, 1e-12));
  CHECK_THAT(rising.p, WithinRel(0.0141369047619, 1e-9));
  CHECK_FALSE(rising.likely());
  const auto other = drift_of({3, 1, 4, 1.5, 5, 9, 2, 6, 5.3, 5.8});
  CHECK_THAT(other.tau, WithinRel(0.4666666666667, 1e-12));
  CHECK_THAT(other.p, WithinRel(0.07255015432099, 1e-9));
  const auto tied = drift_of({1, 1, 2, 2, 3, 3, 4, 5});  // exact = FALSE, continuity = TRUE
  CHECK_THAT(tied.tau, WithinRel(0.9449111825231, 1e-12));
  CHECK_THAT(tied.p, WithinRel(0.002367019884225, 1e-9));
  CHECK(tied.likely());
  CHECK(drift_of({1, 2}).p == 1);
  CHECK(drift_of({2, 2, 2, 2}).p == 1);
}

TEST_CASE("Outliers are named, by robust deviations that the outlier itself cannot widen") {
  CHECK(outliers_of({10, 10.1, 9.9, 10.2, 50, 9.8}) == std::vector<std::size_t>{4});
  CHECK(outliers_of({10, 10.1, 9.9, 10.2, 9.8}).empty());
  CHECK(outliers_of({1, 1, 1, 1, 1, 1, 9}) == std::vector<std::size_t>{6});  // the median deviation is zero
  CHECK(outliers_of({1, 1, 1, 1, 1}).empty());
  CHECK(outliers_of({1, 1, 1, 1e308}).empty());  // too few to say
}
