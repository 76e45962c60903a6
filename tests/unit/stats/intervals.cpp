// SPDX-License-Identifier: GPL-2.0-or-later
// Expected values: R 4.2.2 (Debian 4.2.2.20221110-2), printed to 13 digits, with the call named at each.
#include "rig/stats/interval.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "tests/unit/stats/made.h"

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using namespace rig;

TEST_CASE("A mean's interval is Student's: R's t.test(x, conf.level = …)$conf.int") {
  CHECK_THAT(mean_interval(made::same_cpu_rc3)->low, WithinRel(84.64247694457, 1e-12));
  CHECK_THAT(mean_interval(made::same_cpu_rc3)->high, WithinRel(84.95752305543, 1e-12));
  CHECK_THAT(mean_interval(made::same_cpu_rc3, 0.99)->low, WithinRel(84.51088973932, 1e-12));
  CHECK_THAT(mean_interval(made::same_cpu_rc3, 0.99)->high, WithinRel(85.08911026068, 1e-12));
}

TEST_CASE("One value, or values without spread, have no interval") {
  CHECK_FALSE(mean_interval({5}));
  CHECK_FALSE(mean_interval({5, 5, 5}));
  CHECK_FALSE(bootstrap_interval({5, 5}, [](const auto& v) { return v[0]; }, 0.95, 1));
}

TEST_CASE("Rates average harmonically: R's 1 / mean(1 / x) of the 2014 post's four clients") {
  CHECK_THAT(*harmonic_mean({72436.65, 72438.55, 72213.18, 72493.48}), WithinRel(72395.30457559, 1e-12));
  CHECK_FALSE(harmonic_mean({1, 0}));
  CHECK_FALSE(harmonic_mean({}));
}

TEST_CASE("A ratio of logarithms has Welch's interval: R's exp(t.test(log(x), log(y))$conf.int)") {
  const auto a = ratio_of_logs(made::same_cpu_rc3, made::same_cpu_22);
  CHECK_THAT(a->value, WithinRel(1.022487199811, 1e-11));
  CHECK_THAT(a->interval->first, WithinRel(1.020668810492, 1e-11));
  CHECK_THAT(a->interval->second, WithinRel(1.024308828712, 1e-11));
  const auto b = ratio_of_logs(made::seven, made::three);
  CHECK_THAT(b->value, WithinRel(2.050837133129, 1e-11));
  CHECK_THAT(b->interval->first, WithinRel(1.436735189439, 1e-11));
  CHECK_THAT(b->interval->second, WithinRel(2.9274239105, 1e-11));
  const auto c = ratio_of_logs(made::seven, made::three, 0.99);
  CHECK_THAT(c->interval->first, WithinRel(1.148178284994, 1e-11));
  CHECK_THAT(c->interval->second, WithinRel(3.663135770454, 1e-11));
  CHECK_FALSE(ratio_of_logs({1, -1}, {1, 2}));
}

TEST_CASE("The bootstrap of a mean comes near its exact distribution of all 256 resamples") {
  // R: m <- rowMeans(expand.grid(x, x, x, x)); quantile(m, c(.025, .975), type = 1)
  const auto mean = [](const std::vector<double>& v) { return summarize(v).mean; };
  const auto interval = bootstrap_interval(made::other_package_rc3, mean, 0.95, 1, 20000);
  CHECK_THAT(interval->low, WithinAbs(91.265, 0.02));
  CHECK_THAT(interval->high, WithinAbs(92.07, 0.02));
  CHECK(bootstrap_interval(made::other_package_rc3, mean, 0.95, 7) ==
        bootstrap_interval(made::other_package_rc3, mean, 0.95, 7));
}

TEST_CASE("What is not finite is refused by every interval") {
  CHECK_THROWS_AS(mean_interval({1, std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(harmonic_mean({1, std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(ratio_of_logs({1, INFINITY}, {1, 2}), std::invalid_argument);
}
