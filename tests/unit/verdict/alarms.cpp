// SPDX-License-Identifier: GPL-2.0-or-later
// How often verdicts err, on simulated matrices with fixed seeds.
#include <catch2/catch_test_macros.hpp>

#include "rig/stats/power.h"
#include "rig/stats/sequential.h"
#include "tests/unit/verdict/simulated.h"

using namespace rig;
using namespace simulated;

namespace {

// CV 1 to 30 %, every second matrix with heavy tails, every third with a drift of up to 40 %; 1 to 20 comparisons.
Simulation drawn(Noise& noise, int number) {
  Simulation setting;
  setting.comparisons = 1 + static_cast<int>(noise.below(20));
  setting.boots = 5 + static_cast<int>(noise.below(6));
  setting.cv = 0.01 * std::pow(30, noise.uniform());
  setting.heavy = number % 2 == 0;
  if (number % 3 == 0) setting.drift = 0.8 * (noise.uniform() - 0.5);
  return setting;
}

}  // namespace

TEST_CASE("Of 1,000 matrices of a kernel against itself at most 65 hold any better or worse") {
  Noise noise(20141011);
  int alarms = 0, undecided = 0;
  for (int i = 0; i < 1000; ++i) {
    const Verdicts verdicts = verdicts_of(run(drawn(noise, i), noise), {});
    alarms += any_alarm(verdicts);
    for (const auto& one : verdicts.baseline) undecided += one.kind == BaselineVerdict::Kind::Undecided;
  }
  CHECK(alarms <= 65);
  CHECK(undecided > 1000);  // it does not simply call everything equal
}

TEST_CASE("Uncorrected for the matrix's size they would hold far more: the simulation can fail") {
  Noise noise(20141011);
  int alarms = 0;
  for (int i = 0; i < 300; ++i) {
    for (const auto& one : verdicts_of(run(drawn(noise, i), noise), {}).baseline) {
      if (one.p && *one.p <= 0.05) {
        ++alarms;
        break;
      }
    }
  }
  CHECK(alarms > 60);
}

TEST_CASE("Repeating until it is precise raises no more alarms") {
  const Precision precision{0.05, 0.95, 5, 20};
  Noise noise(3);
  int alarms = 0;
  constexpr int matrices = 200;
  for (int i = 0; i < matrices; ++i) {
    Simulation setting = drawn(noise, i);
    setting.comparisons = std::min(setting.comparisons, 6);
    setting.boots = precision.max;
    const RunRecord whole = run(setting, noise);
    RunRecord record = whole;
    record.environment["repeat"] = to_text(precision);
    record.attempts.clear();
    for (int c = 0; c < setting.comparisons; ++c) {
      const std::string& plain = whole.cells[static_cast<std::size_t>(c) * 2].id;
      const std::string& patched = whole.cells[static_cast<std::size_t>(c) * 2 + 1].id;
      Repeated one;
      for (int n = 1; n <= precision.max; ++n) {
        for (const auto& attempt : whole.attempts) {
          if (attempt.repetition != n - 1 || (attempt.cell != plain && attempt.cell != patched)) continue;
          (attempt.cell == plain ? one.baseline : one.candidate).push_back(attempt.samples[0].value);
          record.attempts.push_back(attempt);
        }
        if (next_step(precision, {one}, n) != Next::Repeat) break;
      }
    }
    alarms += any_alarm(verdicts_of(record, {}));
  }
  CHECK(alarms <= matrices * 0.065);
}

TEST_CASE("A change of 5 % at a CV of 2 % is found nine times in ten, with as many boots as rig asks for") {
  // Five boots first; what is undecided after them is run anew with the boots that the verdict asked for.
  Judging judging;
  judging.margin = 0.05;
  for (const int comparisons : {1, 5}) {
    Noise noise(5);
    int found = 0, wrong = 0;
    std::size_t most = 0;
    constexpr int trials = 200;
    for (int i = 0; i < trials; ++i) {
      const double change = i % 2 == 0 ? 0.05 : -0.05;
      const auto right = change > 0 ? BaselineVerdict::Kind::Better : BaselineVerdict::Kind::Worse;
      const auto reversed = change > 0 ? BaselineVerdict::Kind::Worse : BaselineVerdict::Kind::Better;
      Simulation setting{comparisons, 5, 0.02, false, 0, change};
      Verdicts verdicts = verdicts_of(run(setting, noise), judging);
      std::size_t needed = 0;
      for (const auto& one : verdicts.baseline) needed = std::max(needed, one.needed.value_or(0));
      if (needed > 0) {
        setting.boots = static_cast<int>(needed);
        verdicts = verdicts_of(run(setting, noise), judging);
      }
      most = std::max(most, needed);
      for (const auto& one : verdicts.baseline) {
        found += one.kind == right;
        wrong += one.kind == reversed;
      }
    }
    INFO(comparisons << " comparisons: found " << found << " of " << trials * comparisons << ", at most " << most);
    CHECK(found >= 0.9 * trials * comparisons);
    CHECK(wrong == 0);
    CHECK(most <= 60);
  }
}

TEST_CASE("The boots planned from five boots a side find that change nine times in ten") {
  Noise noise(8);
  int found = 0;
  constexpr int trials = 500;
  for (int i = 0; i < trials; ++i) {
    const auto draw = [&](std::size_t n, double mean) {
      std::vector<double> values;
      while (values.size() < n) values.push_back(mean * (1 + 0.02 * noise.normal()));
      return values;
    };
    const std::size_t n = *needed_after(draw(5, 100), draw(5, 100), 0.05, 0.05 / 7);
    found += mann_whitney(draw(n, 105), draw(n, 100))->p <= 0.05 / 7;
  }
  CHECK(found >= 0.9 * trials);
}

TEST_CASE("So it is by repeating until 2 %, at the default margin") {
  const Precision precision{0.02, 0.95, 5, 40};
  Noise noise(6);
  int found = 0;
  constexpr int trials = 200;
  for (int i = 0; i < trials; ++i) {
    const RunRecord whole = run({1, precision.max, 0.02, false, 0, 0.05}, noise);
    RunRecord record = whole;
    record.environment["repeat"] = to_text(precision);
    record.attempts.clear();
    Repeated one;
    for (int n = 1; n <= precision.max; ++n) {
      for (std::size_t k = 0; k < 2; ++k) {
        const auto& attempt = whole.attempts[static_cast<std::size_t>(n - 1) * 2 + k];
        (attempt.cell == "cell0" ? one.baseline : one.candidate).push_back(attempt.samples[0].value);
        record.attempts.push_back(attempt);
      }
      if (next_step(precision, {one}, n) != Next::Repeat) break;
    }
    found += verdicts_of(record, {}).baseline[0].kind == BaselineVerdict::Kind::Better;
  }
  CHECK(found >= 0.9 * trials);
}
