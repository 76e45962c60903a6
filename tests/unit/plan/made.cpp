// SPDX-License-Identifier: GPL-2.0-or-later
// Plans with machines that a matrix makes.
#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>

#include "rig/base/base.h"
#include "tests/unit/plan/lab.h"

using namespace rig;

namespace {

// The quad with another L2, as a matrix makes it.
Topology point(const std::string& family, int shared_by, const std::string& clock) {
  Topology t = test::machine(family + "@caches.l2.shared_by=" + std::to_string(shared_by), 1);
  t.base = "quad";
  t.caches[0].shared_by = shared_by;
  t.swept = {{"caches.l2.shared_by", std::to_string(shared_by)}};
  if (family != "quad") t.settings = {{"clock", clock}};
  t.mhz = family == "quad" ? 0 : 3000;
  return t;
}

MatrixSpec swept_matrix() {
  MatrixSpec m = test::matrix();
  m.jobs = {{"load", {{"clients", {"2"}}}, {}, false}};
  m.topologies = {point("quad", 1, ""), point("quad", 2, ""), point("fast", 1, "3 GHz"), point("fast", 2, "3 GHz")};
  return m;
}

std::set<std::string> machines_left(const std::string& only) {
  std::set<std::string> names;
  for (const auto& cell : make_plan(swept_matrix(), 1, CellFilter::parse(only)).cells) names.insert(cell.topology);
  return names;
}

}  // namespace

TEST_CASE("A machine that comes to its definition gives the definition's cells") {
  MatrixSpec plain = test::matrix(), made = plain;
  made.topologies[0].name = "quad@caches.l2.shared_by=2";
  made.topologies[0].base = "quad";
  made.topologies[0].swept = {{"caches.l2.shared_by", "2"}};
  const Plan a = make_plan(plain, 1), b = make_plan(made, 1);
  REQUIRE(a.cells.size() == b.cells.size());
  for (std::size_t i = 0; i < a.cells.size(); ++i) CHECK(a.cells[i].id == b.cells[i].id);
  CHECK(machine_key(plain.topologies[0]) == machine_key(made.topologies[0]));
  // another definition of the same shape is another machine
  plain.topologies[0].name = "four";
  CHECK(machine_key(plain.topologies[0]) != machine_key(made.topologies[0]));
}

TEST_CASE("A plan never holds a cell twice") {
  MatrixSpec m = test::matrix();
  m.topologies.push_back(m.topologies[0]);
  m.topologies[1].name = "same";
  m.topologies[1].base = "quad";
  try {
    make_plan(m, 1);
    FAIL("planned");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).starts_with("the matrix holds this cell twice: load clients=1"));
  }
}

TEST_CASE("The points of a sweep are compared each on its own") {
  const Plan plan = make_plan(swept_matrix(), 1);
  REQUIRE(plan.cells.size() == 8);
  std::set<std::string> ids;
  for (const auto& cell : plan.cells) ids.insert(cell.id);
  CHECK(ids.size() == 8);
  // kernels of one machine run side by side: each block of two is one machine's
  for (std::size_t i = 0; i < plan.order.size(); i += 2) {
    CHECK(plan.cells[plan.order[i].cell].topology == plan.cells[plan.order[i + 1].cell].topology);
  }
}

TEST_CASE("--only takes one point, all points of a machine, or a swept value") {
  using Set = std::set<std::string>;
  CHECK(machines_left("topology=quad") == Set{"quad@caches.l2.shared_by=1", "quad@caches.l2.shared_by=2"});
  CHECK(machines_left("topology=quad@caches.l2.shared_by=2") == Set{"quad@caches.l2.shared_by=2"});
  CHECK(machines_left("caches.l2.shared_by=2") == Set{"quad@caches.l2.shared_by=2", "fast@caches.l2.shared_by=2"});
  CHECK(machines_left("topology=fast,caches.l2.shared_by=1|7") == Set{"fast@caches.l2.shared_by=1"});
  MatrixSpec m = swept_matrix();
  for (auto& topology : m.topologies) topology.swept.push_back({"timing.halt.exit", "150 ns"});
  CHECK(make_plan(m, 1, CellFilter::parse("timing.halt.exit=150 ns")).cells.size() == 8);
  CHECK(make_plan(m, 1, CellFilter::parse("timing.halt.exit=150ns")).cells.size() == 8);
  try {
    make_plan(m, 1, CellFilter::parse("timing.halt.exti=1"));
    FAIL("planned");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "--only: this matrix has no 'timing.halt.exti' to choose by\n  allowed: kernel, topology, job, placement, "
          "clients, seconds, caches.l2.shared_by or timing.halt.exit\n  did you mean 'timing.halt.exit'?");
  }
}

TEST_CASE("A plan tells what its machines are made from") {
  const Plan plan = make_plan(swept_matrix(), 1);
  CHECK(plan_text(plan).find("  topology quad: 4 CPUs, 1 GiB\n"
                             "    2 points of a sweep\n"
                             "    caches.l2.shared_by = 1 | 2\n"
                             "  topology fast: 4 CPUs, 1 GiB; made from quad\n"
                             "    clock = 3 GHz\n"
                             "    2 points of a sweep\n"
                             "    caches.l2.shared_by = 1 | 2\n") != std::string::npos);
  const boost::json::value json = boost::json::parse(plan_json(plan));
  const auto& fast = json.at("topologies").at(2);
  CHECK(fast.at("name").as_string() == "fast@caches.l2.shared_by=1");
  CHECK(fast.at("base").as_string() == "quad");
  CHECK(fast.at("set").at("clock").as_string() == "3 GHz");
  CHECK(fast.at("sweep").at("caches.l2.shared_by").as_string() == "1");
  CHECK_FALSE(boost::json::parse(plan_json(make_plan(test::matrix(), 1))).at("topologies").at(0).as_object().contains("base"));
}
