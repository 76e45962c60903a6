// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/order.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "tests/unit/plan/lab.h"

using namespace rig;

namespace {

MatrixSpec five_boots() {
  MatrixSpec m = test::matrix();
  m.boots = 5;
  return m;
}

std::vector<std::size_t> cells_of(const Plan& plan) {
  std::vector<std::size_t> cells;
  for (const auto& attempt : plan.order) cells.push_back(attempt.cell);
  return cells;
}

}  // namespace

TEST_CASE("Each repetition runs every cell once before the next begins") {
  const Plan plan = make_plan(five_boots(), 1);
  REQUIRE(plan.order.size() == 30);
  for (std::size_t repetition = 0; repetition < 5; ++repetition) {
    std::set<std::size_t> cells;
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(plan.order[repetition * 6 + i].repetition == static_cast<int>(repetition));
      cells.insert(plan.order[repetition * 6 + i].cell);
    }
    CHECK(cells.size() == 6);
  }
}

TEST_CASE("The kernels of one comparison run side by side") {
  const Plan plan = make_plan(five_boots(), 3);
  for (std::size_t i = 0; i < plan.order.size(); i += 2) {
    const Cell& a = plan.cells[plan.order[i].cell];
    const Cell& b = plan.cells[plan.order[i + 1].cell];
    CHECK(a.parameters == b.parameters);
    CHECK(a.kernel != b.kernel);
  }
}

TEST_CASE("The order follows the seed: the same for the same, another for another") {
  const MatrixSpec m = five_boots();
  CHECK(cells_of(make_plan(m, 1)) == cells_of(make_plan(m, 1)));
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 0; seed < 10; ++seed) orders.insert(cells_of(make_plan(m, seed)));
  CHECK(orders.size() == 10);
}

TEST_CASE("No kernel always comes first") {
  MatrixSpec m = five_boots();
  m.boots = 200;
  const Plan plan = make_plan(m, 1);
  int first = 0;
  for (std::size_t i = 0; i < plan.order.size(); i += 2)
    first += plan.cells[plan.order[i].cell].kernel == "plain" ? 1 : 0;
  // 600 fair coins: mean 300, standard deviation 12.2; five of those are allowed
  CHECK(first > 300 - 62);
  CHECK(first < 300 + 62);
}

TEST_CASE("Draws are below their bound, reach all of it, and are the generator's own") {
  std::mt19937_64 generator(5489);  // the standard's default seed
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(draw_below(generator, 6));
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5});
  CHECK(draw_below(generator, 1) == 0);
  // C++ standard, [rand.predef]: the 10000th number of mt19937_64 is 9981545732273789042
  std::mt19937_64 fresh(5489);
  fresh.discard(9999);
  CHECK(draw_below(fresh, 1000) == 42);
}
