// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts and published figures as text. The published ones are the posts' own.
#include <catch2/catch_test_macros.hpp>

#include "rig/report/report.h"
#include "rig/report/verdicts.h"
#include "tests/unit/report/judging.h"
#include "tests/unit/report/records.h"

using namespace rig;

namespace {

using records::tcp_rr;

RunRecord three_boots(const std::string& accelerator) {
  RunRecord record = records::head(3);
  record.accelerator = accelerator;
  for (const bool bld : {false, true}) {
    const auto cell =
        records::add_cell(record, bld ? "debian-6.1-bld" : "debian-6.1", "q6600", "tcp-rr", {{"clients", "4"}});
    for (int i = 0; i < 3; ++i)
      records::add_attempt(record, cell, i, Outcome::Ok,
                           {{"rate", "trans/s", (bld ? 40000.0 : 100000.0) + 100 * i, 0}});
  }
  return record;
}

std::string verdicts(const RunRecord& record, const Judging& judging) {
  return report::verdicts_text(record, verdicts_of(record, judging), judging, 100);
}

}  // namespace

TEST_CASE("Verdicts come first, each with its figures, its words and its notes once") {
  const RunRecord record = three_boots("model");
  CHECK(verdicts(record, tcp_rr()) ==
        "\nVerdicts\n"
        "  against debian-6.1; modelled: ranges over perturbed boots, no probabilities\n"
        "    worse           tcp-rr, 4 clients, on q6600, debian-6.1-bld: rate 0.401 [0.399, 0.402], 3 boots\n"
        "  against galbraith-2014 (Mike Galbraith, October 2014); modelled: ranges over perturbed boots, no\n"
        "    probabilities\n"
        "    reproduced      tcp-rr: published 0.400 (give or take 0.0999); here 0.401 [0.399, 0.402], 3\n"
        "                    boots (1) (2)\n"
        "                    \".399 vs master\"\n"
        "                    (1) debian-6.1-bld stands for 3.18.0-master-BLD\n"
        "                    (2) debian-6.1 stands for 3.18.0-master\n"
        "  check: holds\n");
  const Judging judging = tcp_rr();
  const std::string whole = text_report(record, verdicts_of(record, judging), judging);
  CHECK(whole.find("\nVerdicts\n") < whole.find("tcp-rr on q6600"));
}

TEST_CASE("Functional figures are refused in one line, and the check says why it does not hold") {
  const std::string text = verdicts(three_boots("tcg"), tcp_rr());
  CHECK(text.find("1 comparison: functional only") != std::string::npos);
  CHECK(text.find("check: does not hold\n    claim tcp-rr: not comparable: functional only") != std::string::npos);
}

TEST_CASE("Too few measured boots are told with how many would do") {
  const RunRecord record = three_boots("kvm");
  const std::string text = report::verdicts_text(record, verdicts_of(record, {}), {}, 400);
  CHECK(text.find("undecided") != std::string::npos);
  CHECK(text.find("3 boots; too few repetitions; ") != std::string::npos);
  CHECK(text.find(" boots a side would do for 1.0 %") != std::string::npos);
}

TEST_CASE("The published figures stand beside in the post's own layout") {
  const RunRecord record = three_boots("model");
  const Judging judging = tcp_rr();
  CHECK(report::beside_text(verdicts_of(record, judging), judging, 100) ==
        "\nPublished beside here: galbraith-2014, TCP_RR, trans/s\n\n"
        "             published  vs 3.18.0-master      here  vs the same\n"
        "3.18.0-master; here debian-6.1\n"
        "  4 clients  289581.86             1.000  100100.0        1.000\n"
        "3.18.0-master-BLD; here debian-6.1-bld\n"
        "  4 clients  115719.86              .399   40100.0        0.401\n");
}

TEST_CASE("Names that are hostile print as text in verdicts as well") {
  RunRecord record = records::hostile_names();
  const std::string text = verdicts(record, {});
  for (const char bad : {'\x1b', '\x07', '\r'}) CHECK(text.find(bad) == std::string::npos);
}

TEST_CASE("A run with nothing to compare has no verdicts") { CHECK(verdicts(records::head(1), {}).empty()); }
