// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/perturbation.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

using namespace rig;

TEST_CASE("The first repetition is never perturbed, whatever the seed") {
  for (const std::uint64_t seed : {0u, 1u, 12345u}) CHECK(perturbation_of(seed, 0) == Perturbation{});
  CHECK(Perturbation{}.word().empty());
}

TEST_CASE("Every other repetition is perturbed its own way, the same way for a seed") {
  std::set<std::uint32_t> numbers;
  std::set<int> pages, microseconds;
  for (int repetition = 1; repetition <= 40; ++repetition) {
    const Perturbation drawn = perturbation_of(1, repetition);
    CHECK(drawn == perturbation_of(1, repetition));
    CHECK(drawn != perturbation_of(2, repetition));
    CHECK(drawn.number != 0);
    CHECK((0 <= drawn.pages && drawn.pages <= 255));
    CHECK((0 <= drawn.microseconds && drawn.microseconds <= 9999));
    numbers.insert(drawn.number);
    pages.insert(drawn.pages);
    microseconds.insert(drawn.microseconds);
  }
  CHECK(numbers.size() == 40);
  CHECK(pages.size() > 30);  // 40 of 256 drawn at random: 37 differ on average
  CHECK(microseconds.size() > 35);
}

TEST_CASE("A perturbation's word has one length, so that the command line has too") {
  CHECK(Perturbation{.number = 7}.word() == "rig.perturb=00000007");
  CHECK(Perturbation{.number = 0xc0ffee12}.word() == "rig.perturb=c0ffee12");
}
