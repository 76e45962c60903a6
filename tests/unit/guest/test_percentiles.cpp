// SPDX-License-Identifier: GPL-2.0-or-later
// The pinger's report where there are more round trips than exact samples are kept.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>
#include <vector>

#include "rig/guest/pinger.h"
#include "text_of.h"

using rig::guest_test::text_of;

TEST_CASE("beyond the exact samples, percentiles come from the histogram and say so") {
  auto report = std::make_unique<pair_report>();
  std::vector<uint64_t> samples;
  for (uint64_t ns = 1; ns <= 100; ns++) samples.push_back(ns * 1000);
  report->sample_capacity = samples.size();
  report->samples = samples.data();
  report->n = 300;
  report->min_ns = 1000;
  report->max_ns = 300000;
  for (uint64_t ns = 101; ns <= 300; ns++) histogram_add(&report->beyond, ns * 1000);
  const std::string line = text_of([&](struct text* t) { pinger_add_pair(t, 0, report.get()); });
  CHECK(line.find(" percentiles=histogram\n") != std::string::npos);
  const auto value = [&](const std::string& key) { return std::stod(line.substr(line.find(key) + key.size())); };
  CHECK(value("median_ns=") == Catch::Approx(150e3).epsilon(1.0 / 32));
  CHECK(value("p99_ns=") == Catch::Approx(297e3).epsilon(1.0 / 32));
  CHECK(report->beyond.total == 300);
}

TEST_CASE("a percentile out of the histogram never leaves the range that was measured") {
  auto report = std::make_unique<pair_report>();
  report->n = 10;
  for (int i = 0; i < 10; i++) histogram_add(&report->beyond, 65540);  // its bucket is 65536 to 69631
  report->min_ns = report->max_ns = 65540;
  const std::string line = text_of([&](struct text* t) { pinger_add_pair(t, 0, report.get()); });
  CHECK(line.find(" median_ns=65540.0 ") != std::string::npos);
  CHECK(line.find(" p99_ns=65540.0 ") != std::string::npos);
}
