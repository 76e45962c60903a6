// SPDX-License-Identifier: GPL-2.0-or-later
// Expected values: R 4.2.2 (Debian 4.2.2.20221110-2). Without ties wilcox.test(x, y, exact = TRUE, conf.int = TRUE,
// conf.level = …); with ties, and for the permutation test, all assignments enumerated by combn():
//   r <- rank(c(x, y)); mean(abs(combn(N, n, function(i) sum(r[i])) - n * (N + 1) / 2) >= abs(W - n * (N + 1) / 2))
#include "rig/stats/rank.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "tests/unit/stats/made.h"

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using namespace rig;

namespace {

void check(const std::vector<double>& a, const std::vector<double>& b, double u, double p) {
  const auto test = mann_whitney(a, b);
  REQUIRE(test);
  CHECK(test->exact);
  CHECK(test->u == u);
  CHECK_THAT(test->p, WithinRel(p, 1e-11));
}

}  // namespace

TEST_CASE("Mann and Whitney's test is exact") {
  check(made::same_cpu_rc3, made::same_cpu_22, 16, 0.02857142857143);
  check(made::other_package_rc3, made::other_package_22, 8, 1);
  check(made::seven, made::three, 21, 0.01666666666667);
  check(made::eight, made::nine, 13, 0.02739613327849);
}

TEST_CASE("It is exact with ties as well") {
  check(made::tied_six, made::tied_seven, 31, 0.1800699300699);
  check({1, 1, 1, 2}, {1, 1, 2, 2, 3}, 6, 0.4444444444444);
  check({2, 2, 2}, {2, 2, 2}, 4.5, 1);
}

TEST_CASE("Four a side can give no p below .029, five .0079, and that is known beforehand") {
  CHECK_THAT(least_rank_p(4), WithinAbs(2.0 / 70, 1e-12));
  CHECK_THAT(least_rank_p(5), WithinAbs(2.0 / 252, 1e-12));
  CHECK_THAT(mann_whitney(made::same_cpu_rc3, made::same_cpu_22)->least_p, WithinAbs(2.0 / 70, 1e-12));
  CHECK(mann_whitney({2, 2}, {2, 2})->least_p == 1);
}

TEST_CASE("Of more than a hundred values the normal approximation is told as such") {
  std::vector<double> a, b;
  for (int i = 0; i < 60; ++i) {
    a.push_back(2.0 * i);
    b.push_back(2.0 * i + 41);
  }
  const auto test = mann_whitney(a, b);  // R: wilcox.test(2 * (0:59), 2 * (0:59) + 41)$p.value
  CHECK_FALSE(test->exact);
  CHECK_THAT(test->p, WithinRel(8.747567722894e-08, 1e-9));
}

TEST_CASE("The shift of two samples is Hodges and Lehmann's with its exact interval") {
  const auto shift = shift_of(made::eight, made::nine);
  CHECK_THAT(shift->value, WithinAbs(-1.9, 1e-12));
  CHECK_THAT(shift->interval->low, WithinAbs(-3.4, 1e-12));
  CHECK_THAT(shift->interval->high, WithinAbs(-0.3, 1e-12));
  const auto wide = shift_of(made::eight, made::nine, 0.99);
  CHECK_THAT(wide->interval->low, WithinAbs(-3.7, 1e-12));
  CHECK_THAT(wide->interval->high, WithinAbs(0.3, 1e-12));
  const auto small = shift_of(made::seven, made::three, 0.90);
  CHECK_THAT(small->value, WithinAbs(1.1, 1e-12));
  CHECK_THAT(small->interval->low, WithinAbs(0.6, 1e-12));
  CHECK_THAT(small->interval->high, WithinAbs(1.8, 1e-12));
  CHECK_FALSE(shift_of({1, 2, 3}, {4, 5, 6})->interval);  // three a side reach no 95 %
}

TEST_CASE("The permutation test goes through all assignments") {
  CHECK_THAT(*permutation_p(made::eight, made::nine), WithinRel(0.02632661456191, 1e-11));
  CHECK_THAT(*permutation_p(made::other_package_rc3, made::other_package_22), WithinRel(0.8857142857143, 1e-11));
  CHECK_THAT(*permutation_p(made::tied_six, made::tied_seven), WithinRel(0.1655011655012, 1e-11));
  CHECK(*permutation_p({2, 2}, {2, 2}) == 1);
}

TEST_CASE("Where there are too many assignments the permutation test draws some, the same for a seed") {
  std::vector<double> a, b;
  for (int i = 0; i < 15; ++i) {
    a.push_back(i * i % 17);
    b.push_back(i * i % 17 + 4);
  }
  const double p = *permutation_p(a, b, 3);
  CHECK(p == *permutation_p(a, b, 3));
  CHECK_THAT(p, WithinAbs(0.074223, 0.003));  // R: 1,000,000 drawn with sample(), seed 1
}

TEST_CASE("Holm's adjustment is R's p.adjust(p, \"holm\")") {
  const auto adjusted = holm({0.01, 0.04, 0.03, 0.005, 0.5});
  const std::vector<double> expected = {0.04, 0.09, 0.09, 0.025, 0.5};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK_THAT(adjusted[i], WithinRel(expected[i], 1e-12));
  CHECK(holm({}).empty());
}

TEST_CASE("An empty side has no test, and what is not finite is refused") {
  CHECK_FALSE(mann_whitney({}, {1}));
  CHECK_FALSE(shift_of({1}, {}));
  CHECK_FALSE(permutation_p({}, {}));
  CHECK_THROWS_AS(mann_whitney({1, std::nan("")}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(permutation_p({1, INFINITY}, {1}), std::invalid_argument);
  CHECK(*permutation_p({1e308, 1e308}, {1e308, -1e308}) <= 1);
}
