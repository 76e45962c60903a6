// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "rig/report/text.h"

using namespace rig::report;
using rig::printable;

TEST_CASE("What cannot be printed safely is escaped, the rest left alone") {
  CHECK(printable("plain, ümlaut, 日本") == "plain, ümlaut, 日本");
  CHECK(printable("\x1b[31m") == "\\x1b[31m");
  CHECK(printable("a\nb\tc\rd") == "a\\nb\\tc\\x0dd");
  CHECK(printable(std::string_view("\0\x7f", 2)) == "\\x00\\x7f");
  CHECK(printable("\xff\xfe") == "\\xff\\xfe");
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // an overlong '/'
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable("\xe2\x82") == "\\xe2\\x82");           // cut short
  CHECK(printable("\xe2\x80\xae") == "\\u{202e}");        // right-to-left override
  CHECK(printable("\xc2\x9b") == "\\u{9b}");              // C1's CSI
  CHECK(printable("\xe2\x80\xa8") == "\\u{2028}");        // line separator
}

TEST_CASE("Widths are counted in columns of a terminal") {
  CHECK(columns("abc") == 3);
  CHECK(columns("ümlaut") == 6);
  CHECK(columns("日本") == 4);
  CHECK(columns("e\xcc\x81") == 1);
  CHECK(columns("") == 0);
}

TEST_CASE("Words are wrapped at the width, a long one standing alone") {
  CHECK(wrap("one two three", 7, 2) == "one two\n  three");
  CHECK(wrap("a extraordinarily b", 5, 0) == "a\nextraordinarily\nb");
  CHECK(wrap("  many   blanks ", 80, 0) == "many blanks");
  CHECK(wrap("", 80, 4) == "");
}

TEST_CASE("The largest figure of a table decides its decimals: seven digits") {
  CHECK(decimals_for(287.411) == 3);
  CHECK(decimals_for(1069.75) == 3);
  CHECK(decimals_for(72436.65) == 2);
  CHECK(decimals_for(289581.86) == 1);
  CHECK(decimals_for(1e12) == 0);
  CHECK(decimals_for(82.94) == 3);
  CHECK(decimals_for(0.0123) == 8);
  CHECK(decimals_for(0) == 0);
}

TEST_CASE("Shares are printed with two digits where they are small") {
  CHECK(percent(0) == "0.0 %");
  CHECK(percent(0.0042) == "0.42 %");
  CHECK(percent(0.0123) == "1.2 %");
  CHECK(percent(0.30) == "30 %");
  CHECK(percent(0.00001) == "0.00 %");
}

TEST_CASE("A table aligns its columns, leaves out empty ones, and gives a long label a line of its own") {
  Table table({Align::Left, Align::Right, Align::Left, Align::Left});
  table.row({"a", "1.0", "", "x"});
  table.heading("group", 3, "here");
  table.row({"a-long-label", "20.0", "", "y"});
  CHECK(table.render(2, 5) == "  a   1.0  x\ngroup      here\n  a-long-label\n     20.0  y\n");
}
