// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/version.h"

#include <catch2/catch_test_macros.hpp>

using namespace rig::kernel;

TEST_CASE("A kernel's version is read from the top of its Makefile, old scheme and new") {
  // The heads of the Makefiles of 2.6.22.19, 2.6.30-rc3, 3.17 and 6.1.
  CHECK(makefile_version("VERSION = 2\nPATCHLEVEL = 6\nSUBLEVEL = 22\nEXTRAVERSION = .19\n") ==
        KernelVersion{2, 6, 22});
  CHECK(makefile_version("VERSION = 2\nPATCHLEVEL = 6\nSUBLEVEL = 30\nEXTRAVERSION = -rc3\n") ==
        KernelVersion{2, 6, 30});
  CHECK(makefile_version("VERSION = 3\nPATCHLEVEL = 17\nSUBLEVEL = 0\nEXTRAVERSION =\n") == KernelVersion{3, 17, 0});
  CHECK(makefile_version("# SPDX-License-Identifier: GPL-2.0\nVERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\n") ==
        KernelVersion{6, 1, 192});
  CHECK_FALSE(makefile_version("all:\n\tcc main.c\n"));
  CHECK_FALSE(makefile_version("VERSION = 3\nPATCHLEVEL = x\nSUBLEVEL = 0\n"));
  CHECK_FALSE(makefile_version(""));
}

TEST_CASE("Versions are ordered as Linux's releases were") {
  CHECK(*parse_version("2.6.9") < *parse_version("2.6.22"));
  CHECK(*parse_version("2.6.39") < *parse_version("3.0"));
  CHECK(*parse_version("3.2") < *parse_version("3.17"));
  CHECK(*parse_version("4.20") < *parse_version("5.0"));
  CHECK(to_string(*parse_version("2.6.22")) == "2.6.22");
  CHECK(to_string(*parse_version("3.17")) == "3.17");
}

TEST_CASE("A version is two or three numbers, and nothing else") {
  for (const char* text : {"", "3", "3.", ".17", "3.x", "3.17.", "3.17-rc1", "3.17.1.2", " 3.17", "-3.17", "3.-1"}) {
    INFO(text);
    CHECK_FALSE(parse_version(text));
  }
  CHECK(leading_version("6.1.192-3") == KernelVersion{6, 1, 192});
  CHECK(leading_version("2.6.22.19") == KernelVersion{2, 6, 22});
  CHECK(leading_version("2.6.30-rc2") == KernelVersion{2, 6, 30});
  CHECK_FALSE(leading_version("linux"));
}

TEST_CASE("A range holds from its beginning to before its end") {
  const VersionRange range{KernelVersion{2, 6, 25}, KernelVersion{3, 9, 0}};
  CHECK_FALSE(range.holds(KernelVersion{2, 6, 24}));
  CHECK(range.holds(KernelVersion{2, 6, 25}));
  CHECK(range.holds(KernelVersion{3, 8, 13}));
  CHECK_FALSE(range.holds(KernelVersion{3, 9, 0}));
  CHECK(to_string(range) == "2.6.25 to before 3.9");
  CHECK(VersionRange{}.holds(KernelVersion{2, 6, 22}));
}

TEST_CASE("A tree that names no version counts as newer than all") {
  CHECK((VersionRange{KernelVersion{6, 1, 0}, {}}).holds(std::nullopt));
  CHECK_FALSE((VersionRange{{}, KernelVersion{6, 1, 0}}).holds(std::nullopt));
}

TEST_CASE("Ranges that only touch do not overlap") {
  const KernelVersion v{2, 6, 38};
  CHECK_FALSE((VersionRange{{}, v}).overlaps({v, {}}));
  CHECK((VersionRange{{}, v}).overlaps({KernelVersion{2, 6, 37}, {}}));
  CHECK((VersionRange{}).overlaps({v, {}}));
}
