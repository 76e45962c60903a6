// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/repeat.h"

#include <catch2/catch_test_macros.hpp>

using namespace rig;

namespace {

// One job on two kernels with two numbers of clients, to be repeated until 2 %.
Plan plan_until(int min, int max) {
  Plan plan;
  JobSpec job;
  job.name = "tcp-rr";
  job.metrics = {{"rate", "trans/s", Better::Higher, ""}, {"mean", "us", Better::Lower, ""}};
  plan.matrix.definitions = {job};
  plan.matrix.baseline = "plain";
  plan.matrix.boots = max;
  plan.matrix.until = RepeatUntil{0.02, 0.95, min, max};
  for (const char* clients : {"1", "4"}) {
    for (const char* kernel : {"plain", "patched"}) {
      Cell cell;
      cell.id = std::string(kernel) + clients;
      cell.kernel = kernel;
      cell.topology = "q6600";
      cell.job = "tcp-rr";
      cell.parameters = {{"clients", clients}};
      plan.cells.push_back(cell);
    }
  }
  for (int repetition = 0; repetition < max; ++repetition) {
    for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) plan.order.push_back({cell, repetition});
  }
  return plan;
}

// So many boots of every cell: those of one client within 0.1 %, those of four as spread says.
RunRecord record_of(const Plan& plan, int boots, double spread) {
  RunRecord record;
  record.accelerator = "kvm";
  for (int repetition = 0; repetition < boots; ++repetition) {
    for (const auto& cell : plan.cells) {
      AttemptRecord attempt;
      attempt.cell = cell.id;
      attempt.repetition = repetition;
      const double own = cell.parameters.at("clients") == "1" ? 0.001 : spread;
      attempt.samples = {{"rate", "trans/s", 1000 * (1 + own * (repetition % 3 - 1)), 0}};
      record.attempts.push_back(attempt);
    }
  }
  return record;
}

}  // namespace

TEST_CASE("A set number of boots is what every cell is to have") {
  Plan plan = plan_until(5, 40);
  plan.matrix.until.reset();
  CHECK(repetitions_wanted(plan, {}, 0) == std::vector<int>{40, 40, 40, 40});
}

TEST_CASE("Cells that are compared stop together once they are precise, the others go on") {
  const Plan plan = plan_until(5, 40);
  const RunRecord record = record_of(plan, 5, 0.2);
  CHECK(repetitions_wanted(plan, record, 4) == std::vector<int>{40, 40, 40, 40});
  CHECK(repetitions_wanted(plan, record, 5) == std::vector<int>{5, 5, 40, 40});
}

TEST_CASE("What has stopped stays so, whatever is looked at later, so that a resumed run asks for the same") {
  const Plan plan = plan_until(5, 10);
  RunRecord record = record_of(plan, 10, 0.2);
  CHECK(repetitions_wanted(plan, record, 10) == std::vector<int>{5, 5, 10, 10});
  CHECK(attempts_wanted(plan, record).size() == 5 + 5 + 10 + 10);
}

TEST_CASE("In virtual time a range is no interval: the least number of boots is run") {
  const Plan plan = plan_until(5, 40);
  for (const char* accelerator : {"model", "tcg"}) {
    RunRecord record;
    record.accelerator = accelerator;
    CHECK(repetitions_wanted(plan, record, 0) == std::vector<int>{5, 5, 5, 5});
  }
}

TEST_CASE("A cell that fails is not waited for") {
  const Plan plan = plan_until(5, 40);
  RunRecord record = record_of(plan, 5, 0.001);
  for (auto& attempt : record.attempts) {
    if (attempt.cell != "patched4") continue;
    attempt.outcome = Outcome::Panic;
    attempt.samples.clear();
  }
  CHECK(repetitions_wanted(plan, record, 5) == std::vector<int>{5, 5, 5, 5});
}
