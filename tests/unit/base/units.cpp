// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "rig/base/base.h"

using namespace rig;
using namespace std::chrono_literals;

TEST_CASE("Sizes are read with binary units and nothing else") {
  CHECK(parse_bytes("4 MiB") == 4194304);
  CHECK(parse_bytes("32KiB") == 32768);
  CHECK(parse_bytes("64") == 64);
  CHECK(parse_bytes("1.5 GiB") == 1610612736);
  for (const char* wrong : {"", "MiB", "4 MB", "-1", "4 MiB x", "0.5", "nan", "1e300 GiB"})
    CHECK_FALSE(parse_bytes(wrong));
}

TEST_CASE("Sizes are written in the largest unit that divides them") {
  CHECK(format_bytes(6291456) == "6 MiB");
  CHECK(format_bytes(1536) == "1536 B");
  CHECK(format_bytes(0) == "0 B");
}

TEST_CASE("Durations are read and written with their unit") {
  CHECK(parse_duration("90 s") == 90000ms);
  CHECK(parse_duration("1.5 h") == 5400000ms);
  CHECK(parse_duration("250ms") == 250ms);
  CHECK_FALSE(parse_duration("90"));
  CHECK_FALSE(parse_duration("soon"));
  CHECK(format_duration(250ms) == "250 ms");
  CHECK(format_duration(12340ms) == "12.3 s");
  CHECK(format_duration(245s) == "4 min 05 s");
  CHECK(format_duration(2h + 7min) == "2 h 07 min");
}

TEST_CASE("Numbers are whole, finite and free of what follows") {
  CHECK(parse_number("287.411") == 287.411);
  CHECK(parse_number("1e308") == 1e308);
  for (const char* wrong : {"", "nan", "inf", "1e999", "1 ", " 1", "1x"}) CHECK_FALSE(parse_number(wrong));
  CHECK(parse_integer("-3") == -3);
  for (const char* wrong : {"", "3.0", "0x3", "99999999999999999999"}) CHECK_FALSE(parse_integer(wrong));
}

TEST_CASE("Times are written in UTC") {
  CHECK(format_utc(std::chrono::system_clock::time_point(1240603835s)) == "2009-04-24T20:10:35Z");
}
