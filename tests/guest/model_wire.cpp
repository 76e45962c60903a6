// SPDX-License-Identifier: GPL-2.0-or-later
// The wire of the 2009 post inside one modelled guest, on today's kernel with an e100.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <future>

#include "rig/stats/stats.h"
#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double mean(const RunRecord& record, const std::string& cell, const std::string& metric) {
  return summarize(values_of(record, cell, metric)).mean;
}

// The share of one end's interrupts that were on its CPU: 1 the near end, 2 the far one.
double on_target(const RunRecord& record, const std::string& cell, int end) {
  for (const auto& attempt : record.attempts) {
    for (const auto& sample : attempt.samples) {
      if (attempt.cell == cell && sample.metric == "wire.interrupts" && sample.instance == end) return sample.value;
    }
  }
  return 0;
}

std::map<std::string, double> latencies(const RunRecord& record) {
  std::map<std::string, double> us;
  for (const auto& cell : record.cells) us[cell.placement] = mean(record, cell.id, "mean");
  return us;
}

const std::vector<std::string> placements = {"same-cpu", "same-l2", "same-package", "other-package"};

}  // namespace

TEST_CASE("Over a modelled wire, distance from the interrupt costs as the post has it, in two runs at once alike") {
  RunsDir one, two;
  const auto run_in = [](const std::string& out) {
    return rig_program({"run", "jobs/matrices/placement-wire-today.yaml", "--accel", "model", "--out", out});
  };
  auto beside = std::async(std::launch::async, run_in, std::string(two.path()));
  const auto result = run_in(one.path());
  const auto other = beside.get();
  INFO(result.err << other.err);
  REQUIRE(result.exit_code == 0);
  REQUIRE(other.exit_code == 0);
  const auto first = one.newest(), second = two.newest();
  const auto record = load_record(first);
  REQUIRE(record.cells.size() == placements.size());
  auto us = latencies(record);
  WARN("us: same CPU " << us["same-cpu"] << ", same L2 +" << us["same-l2"] - us["same-cpu"] << ", same package +"
                       << us["same-package"] - us["same-cpu"] << ", other package +"
                       << us["other-package"] - us["same-cpu"] << "; published of 2.6.22 +1.65, +6.99, +8.71");
  CHECK(us["same-cpu"] < us["same-l2"]);
  CHECK(us["same-l2"] < us["same-package"]);
  CHECK(us["same-package"] <= us["other-package"]);
  for (const auto& cell : record.cells) {
    INFO(cell.placement);
    CHECK(mean(record, cell.id, "wire.lost") == 0);
    for (const int end : {1, 2}) CHECK(on_target(record, cell.id, end) == 100);
    // a request and its answer pass memory as descriptors and data
    CHECK(mean(record, cell.id, "model.dma.writes") > 1000);
    CHECK(results_of(first, cell.id) == results_of(second, cell.id));
    CHECK(read_file(first / "cells" / cell.id / "0.0/model-report") ==
          read_file(second / "cells" / cell.id / "0.0/model-report"));
  }
}

TEST_CASE("Where distance, IPIs and idle exits cost nothing, the placements differ by what runs in parallel alone") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/wire-null.yaml", "--accel", "model", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  auto us = latencies(record);
  WARN("us: same CPU " << us["same-cpu"] << ", same L2 " << us["same-l2"] << ", same package " << us["same-package"]
                       << ", other package " << us["other-package"]);
  for (const auto& placement : placements) {
    CHECK(us[placement] / us["same-l2"] > 0.98);
    CHECK(us[placement] / us["same-l2"] < 1.02);
  }
  // a process on another CPU goes on while the interrupt's ends its work
  CHECK(us["same-l2"] <= us["same-cpu"]);
}

TEST_CASE("What a modelled wire lacks is told before any guest") {
  RunsDir runs;
  const auto told = [&](const char* matrix) {
    const auto result = rig_program(
        {"run", std::string("tests/guest/definitions/") + matrix, "--accel", "model", "--out", runs.path()});
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(told("wire-no-room.yaml"), ContainsSubstring("topology dell-1950 has none"));
  CHECK_THAT(told("wire-no-card.yaml"), ContainsSubstring("no driver built in for the card of a modelled wire"));
}
