// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "rig/stats/stats.h"

using namespace rig;

namespace {

AttemptRecord attempt(const std::string& cell, int repetition, int number, Outcome outcome, std::vector<Sample> samples) {
  AttemptRecord record;
  record.cell = cell;
  record.repetition = repetition;
  record.attempt = number;
  record.outcome = outcome;
  record.samples = std::move(samples);
  return record;
}

}  // namespace

TEST_CASE("A cell's values are those of its repetitions that ended ok, by repetition") {
  RunRecord record;
  record.attempts = {
      attempt("a", 2, 0, Outcome::Ok, {{"rate", "trans/s", 30, 0}}),
      attempt("a", 0, 0, Outcome::Infrastructure, {{"rate", "trans/s", 99, 0}}),
      attempt("b", 0, 0, Outcome::Ok, {{"rate", "trans/s", 77, 0}}),
      attempt("a", 0, 1, Outcome::Ok, {{"rate", "trans/s", 10, 0}, {"rate", "trans/s", 4, 1}, {"rate", "trans/s", 6, 2}, {"mean", "us", 5, 0}}),
      attempt("a", 1, 0, Outcome::Panic, {}),
  };
  CHECK(values_of(record, "a", "rate") == std::vector<double>{10, 30});
  CHECK(values_of(record, "a", "mean") == std::vector<double>{5});
  CHECK(values_of(record, "a", "median").empty());
  CHECK(values_of(record, "none", "rate").empty());
}
