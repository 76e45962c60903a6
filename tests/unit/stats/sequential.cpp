// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/sequential.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>

#include "rig/stats/interval.h"

using namespace rig;

namespace {

// Normal deviates that are the same on every platform (Box and Muller).
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : generator_(seed) {}
  double uniform() { return (static_cast<double>(generator_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979323846 * uniform()); }

 private:
  std::mt19937_64 generator_;
};

}  // namespace

TEST_CASE("It is looked after set numbers of repetitions, each about 1.4 times the one before") {
  CHECK(looks_of({0.02, 0.95, 5, 40}) == std::vector<int>{5, 7, 10, 14, 20, 28, 40});
  CHECK(looks_of({0.02, 0.95, 5, 5}) == std::vector<int>{5});
  CHECK(looks_of({0.02, 0.95, 2, 4}) == std::vector<int>{2, 3, 4});
}

TEST_CASE("The error is shared out among the looks") {
  CHECK(std::abs(confidence_of_look({0.02, 0.95, 5, 40}) - (1 - 0.05 / 7)) < 1e-12);
  CHECK(confidence_of_look({0.02, 0.95, 5, 5}) == 0.95);
}

TEST_CASE("It goes on below min, between looks, and until it is precise; never beyond max") {
  const Precision precision{0.02, 0.95, 5, 40};
  const std::vector<double> quiet = {100, 100.1, 99.9, 100.05, 99.95}, loud = {100, 120, 80, 110, 90};
  CHECK(next_step(precision, {{quiet, quiet}}, 4) == Next::Repeat);
  CHECK(next_step(precision, {{quiet, quiet}}, 5) == Next::Enough);
  CHECK(next_step(precision, {{quiet, {}}}, 5) == Next::Enough);
  CHECK(next_step(precision, {{quiet, quiet}}, 6) == Next::Repeat);
  CHECK(next_step(precision, {{loud, quiet}}, 5) == Next::Repeat);
  CHECK(next_step(precision, {{quiet, quiet}, {loud, quiet}}, 5) == Next::Repeat);
  CHECK(next_step(precision, {{loud, quiet}}, 40) == Next::Most);
}

TEST_CASE("Equal figures are an accident of few, and no figures are no precision: it goes on to max") {
  const Precision precision{0.02, 0.95, 5, 10};
  CHECK(next_step(precision, {{{5, 5, 5, 5, 5}, {5, 5, 5, 5, 5}}}, 5) == Next::Repeat);
  CHECK(next_step(precision, {{{}, {}}}, 7) == Next::Repeat);
  CHECK(next_step(precision, {{{}, {}}}, 10) == Next::Most);
}

TEST_CASE("However the looks end it, intervals hold in the share that was asked") {
  // 3,000 comparisons of equal means, CV 1 to 10 %, repeated until 2 %. Uncorrected intervals miss more often.
  const Precision precision{0.02, 0.95, 5, 40};
  Noise noise(20090424);
  int missed = 0, missed_uncorrected = 0;
  constexpr int trials = 3000;
  for (int trial = 0; trial < trials; ++trial) {
    const double cv = 0.01 * std::pow(10, noise.uniform());
    Repeated one;
    int repetitions = 0;
    do {
      one.candidate.push_back(100 * (1 + cv * noise.normal()));
      one.baseline.push_back(100 * (1 + cv * noise.normal()));
      ++repetitions;
    } while (next_step(precision, {one}, repetitions) == Next::Repeat);
    const auto at = [&](double confidence) { return *ratio(one.candidate, one.baseline, confidence)->interval; };
    const auto corrected = at(confidence_of_look(precision));
    missed += corrected.first > 1 || corrected.second < 1;
    // the same figures looked at after each repetition by a 95 % interval, until it leaves 1 out
    bool ever = false;
    for (std::size_t n = 5; n <= one.candidate.size() && !ever; ++n) {
      const std::vector<double> a(one.candidate.begin(), one.candidate.begin() + static_cast<std::ptrdiff_t>(n)),
          b(one.baseline.begin(), one.baseline.begin() + static_cast<std::ptrdiff_t>(n));
      const auto plain = *ratio(a, b)->interval;
      ever = plain.first > 1 || plain.second < 1;
    }
    missed_uncorrected += ever;
  }
  CHECK(missed <= trials * 0.05);
  CHECK(missed_uncorrected > trials * 0.065);
}

TEST_CASE("The rule is told in words that can be read back") {
  const Precision precision{0.015, 0.99, 6, 33};
  CHECK(to_text(precision) == "until ci 1.5 %, confidence 99 %, min 6, max 33");
  CHECK(parse_precision(to_text(precision)) == precision);
  CHECK_FALSE(parse_precision("5 boots"));
  CHECK_FALSE(parse_precision("until ci nan %, confidence 99 %, min 6, max 33"));
  CHECK_FALSE(parse_precision("until ci 1 %, confidence 99 %, min 9, max 3"));
}
