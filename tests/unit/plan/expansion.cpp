// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "rig/base/base.h"
#include "tests/unit/plan/lab.h"

using namespace rig;

namespace {

template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Kernels, machines and lists of parameters multiply") {
  MatrixSpec m = test::matrix();
  CHECK(make_plan(m, 1).cells.size() == 2 * 3);
  m.jobs[0].values["seconds"] = {"5", "10"};
  CHECK(make_plan(m, 1).cells.size() == 2 * 3 * 2);
  m.topologies.push_back(test::machine("octo", 2));
  CHECK(make_plan(m, 1).cells.size() == 2 * 3 * 2 * 2);
  m.jobs.push_back({"ping", {}, {Relation::SameL2, Relation::SamePackage}, false});
  CHECK(make_plan(m, 1).cells.size() == 2 * 3 * 2 * 2 + 2 * 2 * 2);
  m.boots = 5;
  CHECK(make_plan(m, 1).order.size() == 5 * (2 * 3 * 2 * 2 + 2 * 2 * 2));
}

TEST_CASE("A cell has every parameter of its job, defaults included, and a sentence") {
  const Plan plan = make_plan(test::matrix(), 1);
  CHECK(plan.cells[0].parameters == std::map<std::string, std::string>{{"clients", "1"}, {"seconds", "3"}});
  CHECK(describe(plan.cells[0]) == "load clients=1 seconds=3 on quad, plain");
  CHECK_FALSE(plan.cells[0].cpus.has_value());
}

TEST_CASE("A placement is resolved to the lowest pair of CPUs that has it") {
  MatrixSpec m = test::matrix();
  m.topologies = {test::machine("octo", 2)};
  m.kernels.resize(1);
  m.jobs = {{"ping", {}, {Relation::SameCpu, Relation::SameL2, Relation::SamePackage, Relation::OtherPackage}, false}};
  const Plan plan = make_plan(m, 1);
  REQUIRE(plan.cells.size() == 4);
  CHECK(plan.cells[0].cpus == std::pair(0, 0));
  CHECK(plan.cells[1].cpus == std::pair(0, 1));
  CHECK(plan.cells[2].cpus == std::pair(0, 2));
  CHECK(plan.cells[3].cpus == std::pair(0, 4));
  CHECK(describe(plan.cells[3]) == "ping other-package on octo, plain");
}

TEST_CASE("A placement that the machine lacks is an error that names those it has") {
  MatrixSpec m = test::matrix();
  m.jobs = {{"ping", {}, {Relation::OtherPackage}, false}};
  CHECK(message_of([&] { make_plan(m, 1); }) ==
        "topology quad has no two CPUs that are other-package; it has same-cpu, same-l2 or same-package");
}

TEST_CASE("With every placement asked for, those that the machine lacks are left out with the reason") {
  MatrixSpec m = test::matrix();
  m.topologies.push_back(test::machine("octo", 2));
  m.jobs = {{"ping", {}, test::ping_job_spec().placements, true}};
  const Plan plan = make_plan(m, 1);
  CHECK(plan.cells.size() == 2 * 3 + 2 * 4);
  REQUIRE(plan.skipped.size() == 2);
  CHECK(plan.skipped[0].reason ==
        "topology quad has no two CPUs that are other-package; it has same-cpu, same-l2 or same-package");
}

TEST_CASE("A matrix too large to be meant is refused at once") {
  MatrixSpec m = test::matrix();
  for (int i = 0; i < 1000; ++i) {
    m.jobs[0].values["clients"].push_back(std::to_string(1000 + i));
    m.jobs[0].values["seconds"].push_back(std::to_string(i));
  }
  CHECK(message_of([&] { make_plan(m, 1); }) == "job load has more than 20000 combinations");
  m = test::matrix();
  m.boots = 1000000;
  CHECK(message_of([&] { make_plan(m, 1); }) == "the matrix asks for more than 1000000 boots");
}

TEST_CASE("The same cell twice is an error") {
  MatrixSpec m = test::matrix();
  m.jobs.push_back({"load", {{"clients", {"2"}}}, {}, false});
  CHECK(message_of([&] { make_plan(m, 1); }) ==
        "the matrix holds this cell twice: load clients=2 seconds=3 on quad, plain");
}

TEST_CASE("--only keeps the cells for which every condition holds") {
  const MatrixSpec m = test::matrix();
  CHECK(make_plan(m, 1, CellFilter::parse("kernel=plain")).cells.size() == 3);
  CHECK(make_plan(m, 1, CellFilter::parse("kernel=plain, clients=1|4")).cells.size() == 2);
  CHECK(make_plan(m, 1, CellFilter::parse("placement=unbound")).cells.size() == 6);
  const Plan plan = make_plan(m, 1, CellFilter::parse("kernel=patched"));
  REQUIRE(plan.matrix.kernels.size() == 1);
  CHECK(plan.matrix.kernels[0].name == "patched");
  CHECK(plan.matrix.definitions.size() == 1);
}

TEST_CASE("--only says what is wrong with it") {
  const MatrixSpec m = test::matrix();
  const auto only = [&](const char* text) { return message_of([&] { make_plan(m, 1, CellFilter::parse(text)); }); };
  CHECK(only("") == "--only: '' is no condition key=value; write it as kernel=debian-6.1,job=tbench,clients=1|2");
  CHECK(only("plain") ==
        "--only: 'plain' is no condition key=value; write it as kernel=debian-6.1,job=tbench,clients=1|2");
  CHECK(only("kernel=a||b") ==
        "--only: 'kernel=a||b' has an empty value; write it as kernel=debian-6.1,job=tbench,clients=1|2");
  CHECK(only("kernel=a,kernel=b") == "--only: 'kernel' stands twice; give both values as kernel=a|b");
  CHECK(only("clinets=1") ==
        "--only: this matrix has no 'clinets' to choose by\n  allowed: kernel, topology, job, placement, clients or "
        "seconds\n"
        "  did you mean 'clients'?");
  CHECK(only("clients=3") == "--only leaves none of the cells of matrix m: `rig plan` lists them");
}

TEST_CASE("The estimate is the sum of what the jobs expect") {
  MatrixSpec m = test::matrix();
  m.boots = 2;
  CHECK(expected_ms(make_plan(m, 1)) == 2 * 6 * 10000);
}
