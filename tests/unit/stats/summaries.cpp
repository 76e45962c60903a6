// SPDX-License-Identifier: GPL-2.0-or-later
// Certified values: NIST Statistical Reference Datasets, univariate summary statistics
// (https://www.itl.nist.gov/div898/strd/univ/homepage.html).
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <limits>

#include "rig/stats/stats.h"

using Catch::Matchers::WithinRel;
using rig::summarize;

namespace {

// NumAcc1 to 4 are constructed: a middle value, then pairs below and above it.
std::vector<double> constructed(double middle, double below, double above, int pairs) {
  std::vector<double> values{middle};
  for (int i = 0; i < pairs; ++i) {
    values.push_back(below);
    values.push_back(above);
  }
  return values;
}

// Michelso.dat: the speed of light in air, millions of metres a second, Michelson 1879, as tabulated
// by Dorsey (1944). The first two digits, 299, are left out.
constexpr int michelson_hundredths[] = {
    85,  74,  90,  107, 93,  85,  95,  98,  98,  88,  100, 98,  93,  65,  76,  81,  100, 100, 96,  96,  96,  94,  96,  94,  88,
    80,  85,  88,  90,  84,  83,  79,  81,  88,  88,  83,  80,  79,  76,  80,  88,  88,  88,  86,  72,  72,  62,  86,  97,  95,
    88,  91,  85,  87,  84,  84,  85,  84,  84,  84,  89,  81,  81,  82,  80,  77,  76,  74,  75,  76,  91,  92,  89,  86,  88,
    72,  84,  85,  85,  78,  89,  84,  78,  81,  76,  81,  79,  81,  82,  85,  87,  87,  81,  74,  81,  94,  95,  80,  81,  87};

}  // namespace

TEST_CASE("Michelson's speed of light has the mean and deviation that NIST certifies") {
  std::vector<double> values;
  for (const int hundredths : michelson_hundredths) values.push_back((29900.0 + hundredths) / 100.0);
  REQUIRE(values.size() == 100);
  const auto summary = summarize(values);
  CHECK_THAT(summary.mean, WithinRel(299.852400000000, 1e-14));
  CHECK_THAT(*summary.stddev, WithinRel(0.0790105478190518, 1e-12));
  CHECK_THAT(*summary.cv(), WithinRel(0.0790105478190518 / 299.8524, 1e-12));
  CHECK(summary.min == 299.62);
  CHECK(summary.max == 300.07);
}

TEST_CASE("Figures that differ only in their last digits keep their deviation (NIST NumAcc1 to NumAcc4)") {
  const auto first = summarize({10000001, 10000003, 10000002});
  CHECK(first.mean == 10000002);
  CHECK(*first.stddev == 1);
  const auto second = summarize(constructed(1.2, 1.1, 1.3, 500));
  CHECK_THAT(second.mean, WithinRel(1.2, 1e-14));
  CHECK_THAT(*second.stddev, WithinRel(0.1, 1e-13));
  // Binary fractions carry 1000000.2 to about 1e-10 only: 9 and 8 digits of the deviation are the
  // input's, as NIST's own notes on these two say.
  const auto third = summarize(constructed(1000000.2, 1000000.1, 1000000.3, 500));
  CHECK_THAT(third.mean, WithinRel(1000000.2, 1e-15));
  CHECK_THAT(*third.stddev, WithinRel(0.1, 1e-9));
  const auto fourth = summarize(constructed(10000000.2, 10000000.1, 10000000.3, 500));
  CHECK_THAT(fourth.mean, WithinRel(10000000.2, 1e-15));
  CHECK_THAT(*fourth.stddev, WithinRel(0.1, 1e-7));
}

TEST_CASE("The 2009 post's averages are the means of its four tests") {
  CHECK_THAT(summarize({83.03, 82.9, 82.89, 82.92}).mean, WithinRel(82.935, 1e-12));        // printed 82.94
  CHECK_THAT(summarize({91.64, 91.65, 91.61, 91.68}).mean, WithinRel(91.645, 1e-12));       // printed 91.645
}

TEST_CASE("Nothing has no summary, and one value has no spread") {
  CHECK(summarize({}).n == 0);
  CHECK_FALSE(summarize({}).stddev.has_value());
  const auto one = summarize({287.411});
  CHECK(one.n == 1);
  CHECK(one.mean == 287.411);
  CHECK(one.median == 287.411);
  CHECK_FALSE(one.stddev.has_value());
  CHECK_FALSE(one.cv().has_value());
}

TEST_CASE("Equal values have exactly no deviation") {
  const auto summary = summarize(std::vector<double>(7, 0.1));
  CHECK(summary.mean == 0.1);
  CHECK(*summary.stddev == 0.0);
  CHECK(*summary.cv() == 0.0);
}

TEST_CASE("The median is the middle value, or half-way between the two middle ones") {
  CHECK(summarize({3, 1, 2}).median == 2);
  CHECK(summarize({4, 1, 3, 2}).median == 2.5);
}

TEST_CASE("A deviation is no share of a mean at or below zero") {
  CHECK_FALSE(summarize({-1, 1}).cv().has_value());
  CHECK_FALSE(summarize({-1, -2}).cv().has_value());
}

TEST_CASE("Values near the largest double neither run over nor lose their spread") {
  const double big = std::numeric_limits<double>::max();
  const auto summary = summarize({big, big, big / 2});
  CHECK(std::isfinite(summary.mean));
  CHECK(std::isfinite(*summary.stddev));
  CHECK(std::isfinite(summarize({big, big / 2}).median));
}

TEST_CASE("A value that is not finite is refused rather than averaged") {
  CHECK_THROWS_AS(summarize({1, std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(summarize({1, std::numeric_limits<double>::infinity()}), std::invalid_argument);
}
