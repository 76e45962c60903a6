// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/temporary.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "rig/base/base.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A TMPDIR that is no directory is a lack of the host with its mend, not a fault of rig") {
  std::optional<std::string> before;
  if (const char* given = std::getenv("TMPDIR")) before = given;
  ::setenv("TMPDIR", "/nonexistent", 1);
  CHECK_THROWS_AS(temporary_directory(), HostLacks);
  try {
    temporary_directory();
  } catch (const HostLacks& lacks) {
    CHECK_THAT(lacks.what(), ContainsSubstring("TMPDIR is /nonexistent") && ContainsSubstring("mend: set TMPDIR"));
  }
  ::setenv("TMPDIR", "/", 1);
  CHECK(temporary_directory() == "/");
  if (before)
    ::setenv("TMPDIR", before->c_str(), 1);
  else
    ::unsetenv("TMPDIR");
}
