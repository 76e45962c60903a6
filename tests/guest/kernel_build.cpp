// SPDX-License-Identifier: GPL-2.0-or-later
// The kernels that the other guest tests boot, built from Debian's source as a user builds them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Debian's 6.1 is built plain and with BLD, from source") {
  const auto result = rig_program({"build", "kernel", "debian-6.1", "debian-6.1-bld"}, std::chrono::minutes(45));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("debian-6.1-bld"));
  CHECK_THAT(result.out, ContainsSubstring("linux-source-6.1"));
}
