// SPDX-License-Identifier: GPL-2.0-or-later
// Expected intervals: R 4.2.2 with ttestratio(candidate, baseline) of the package mratios 1.4.4
// (unequal variances, conf.level 0.95), printed to 12 digits:
//   r <- ttestratio(x, y); sprintf("%.12g", r$conf.int)
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "rig/stats/stats.h"

using Catch::Matchers::WithinRel;
using rig::ratio;

namespace {

void check(const std::vector<double>& candidate, const std::vector<double>& baseline, double value, double low, double high) {
  const auto result = ratio(candidate, baseline);
  REQUIRE(result);
  CHECK_THAT(result->value, WithinRel(value, 1e-11));
  REQUIRE(result->interval);
  CHECK_THAT(result->interval->first, WithinRel(low, 1e-11));
  CHECK_THAT(result->interval->second, WithinRel(high, 1e-11));
}

}  // namespace

TEST_CASE("The 2009 post's same-CPU times, 2.6.30-rc3 to 2.6.22, are apart") {
  check({84.88, 84.7, 84.73, 84.89}, {83.03, 82.9, 82.89, 82.92}, 1.0224874902, 1.02066841835, 1.02430855597);
}

TEST_CASE("Its other-package times, 2.6.30-rc3 to 2.6.22, are not apart") {
  check({92.08, 91.32, 91.21, 92.06}, {91.64, 91.65, 91.61, 91.68}, 1.00024551258, 0.992156512937, 1.0083350105);
}

TEST_CASE("The 2014 post's four clients under BLD stand to those of mainline as .399 and a little") {
  check({29014.09, 28804.53, 28999.40, 28901.84}, {72436.65, 72438.55, 72213.18, 72493.48}, 0.399610182765, 0.397599851026, 0.40162470485);
}

TEST_CASE("Sides of unequal size and spread get Welch's degrees of freedom") {
  check({1.9, 2.4, 2.2, 3.1, 2.0, 2.6, 1.7}, {1.1, 0.9, 1.3}, 2.06493506494, 1.46556808506, 3.01695523598);
}

TEST_CASE("The example of mratios' manual, Hauschke's ASAT values of female rats") {
  const auto result = ratio({1.53, 1.75, 2.12, 2.83, 2.58, 2.37, 2.92, 2.08, 3.01, 2.67, 2.06, 2.25, 3.08, 2.01, 1.58},
                            {1.33, 1.78, 1.53, 1.95, 1.83, 1.47, 1.87, 1.55, 2.58, 2.17, 1.97, 1.62, 2.25, 3.53, 2.92, 1.78, 2.22, 2.55, 2.75});
  REQUIRE(result);
  CHECK_THAT(result->value, WithinRel(1.113005, 1e-6));
  REQUIRE(result->interval);
  CHECK_THAT(result->interval->first, WithinRel(0.9376689, 1e-7));
  CHECK_THAT(result->interval->second, WithinRel(1.3250862, 1e-7));
}

TEST_CASE("One side nearly without spread leaves the other's") {
  check({5, 6, 7}, {2, 2.0000001, 2}, 2.99999995, 1.75793111483, 4.24206878517);
}

TEST_CASE("A baseline that is not apart from zero gives a ratio without an interval") {
  const auto result = ratio({1, 2, 3}, {-1, 0.5, 2.2});   // mratios: "Confidence set unbounded."
  REQUIRE(result);
  CHECK_THAT(result->value, WithinRel(3.5294118, 1e-7));
  CHECK_FALSE(result->interval);
}

TEST_CASE("One boot on either side gives a ratio without an interval") {
  CHECK_THAT(ratio({115719.86}, {289581.86})->value, WithinRel(0.39961, 1e-5));   // the post prints .399
  CHECK_FALSE(ratio({115719.86}, {289581.86})->interval);
  CHECK_FALSE(ratio({1, 2}, {1})->interval);
  CHECK_FALSE(ratio({1}, {1, 2})->interval);
}

TEST_CASE("No spread on either side gives no interval: equal runs say nothing of precision") {
  const auto result = ratio({2, 2, 2}, {4, 4, 4});
  REQUIRE(result);
  CHECK(result->value == 0.5);
  CHECK_FALSE(result->interval);
}

TEST_CASE("Perturbed boots give the lowest and the highest ratio of any two") {
  const auto result = rig::ratio_of_perturbed({10, 12, 11}, {40, 50});
  REQUIRE(result);
  CHECK_THAT(result->value, WithinRel(11.0 / 45, 1e-12));
  REQUIRE(result->interval);
  CHECK_THAT(result->interval->first, WithinRel(10.0 / 50, 1e-12));
  CHECK_THAT(result->interval->second, WithinRel(12.0 / 40, 1e-12));
  CHECK_FALSE(rig::ratio_of_perturbed({10}, {40, 50})->interval);
  CHECK_FALSE(rig::ratio_of_perturbed({10, 11}, {0, 50})->interval);
  CHECK_FALSE(rig::ratio_of_perturbed({10, 11}, {-40, 50})->interval);
}

TEST_CASE("There is no ratio without values or to a mean of zero") {
  CHECK_FALSE(ratio({}, {1, 2}));
  CHECK_FALSE(ratio({1, 2}, {}));
  CHECK_FALSE(ratio({1, 2}, {-1, 1}));
  CHECK_FALSE(ratio({1e308, 1e308}, {1e-308, 1e-308}));
}
