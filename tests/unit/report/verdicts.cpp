// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts and published figures as text. The published ones are the posts' own.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <tuple>

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

namespace {

// Two kernels of the 2009 post, same CPU and same L2, 2.6.25 with two boots only.
Judging pings() {
  Reference reference;
  reference.name = "lameter-2009";
  reference.topology = "dell-1950";
  reference.kernels = {{"2.6.23", ""}, {"2.6.25", ""}};
  reference.baseline = "2.6.23";
  PublishedTable table;
  table.name = "udpping";
  table.title = "round trip";
  table.jobs = {{"udp-pingpong-wire", "wire", 1, {}, "dell-1950-wire"}, {"udp-pingpong", "loopback", 2, {}}};
  table.metrics = {"mean"};
  table.unit = "us";
  table.printed_unit = "usecs";
  table.path = "wire";
  table.higher_is_better = false;
  const auto row = [&](const char* kernel, const char* placement, std::array<const char*, 4> tests, const char* mean) {
    PublishedRow one{kernel, placement, {}, {}, records::number(mean), {}, {}};
    for (const char* test : tests) one.figures.push_back(records::number(test));
    table.rows.push_back(one);
  };
  row("2.6.23", "same-cpu", {"83.35", "82.81", "82.83", "82.86"}, "82.96");
  row("2.6.25", "same-cpu", {"84.28", "84.29", "84.37", "84.3"}, "84.31");
  row("2.6.23", "same-l2", {"84.59", "84.5", "84.33", "84.34"}, "84.44");
  row("2.6.25", "same-l2", {"86.12", "85.8", "86.2", "86.04"}, "86.04");
  reference.tables = {table};
  Judging judging;
  judging.reference = reference;
  judging.stands_for = {{"linux-2.6.23", "2.6.23"}, {"linux-2.6.25", "2.6.25"}};
  return judging;
}

RunRecord pinged(const std::string& accelerator, const std::string& job, const std::string& topology) {
  RunRecord record = records::head(4);
  record.accelerator = accelerator;
  record.baseline = "linux-2.6.23";
  record.metrics = {{job, "mean", "us", "", false, true}};
  for (const auto& [kernel, placement, first, boots] : {std::tuple("linux-2.6.23", "same-cpu", 82.5, 4),
                                                        {"linux-2.6.25", "same-cpu", 84.0, 2},
                                                        {"linux-2.6.23", "same-l2", 84.25, 4},
                                                        {"linux-2.6.25", "same-l2", 86.5, 2}}) {
    const auto cell = records::add_cell(record, kernel, topology, job, {{"bytes", "40"}}, placement);
    for (int i = 0; i < boots; ++i) records::add_attempt(record, cell, i, Outcome::Ok, {{"mean", "us", first, 0}});
  }
  return record;
}

std::string beside(const RunRecord& record) {
  const Judging judging = pings();
  return report::beside_text(verdicts_of(record, judging), judging, 400);
}

// The lines that have any, each with its words one blank apart.
std::string words(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream all(line);
    std::string one;
    for (std::string word; all >> word;) one += (one.empty() ? "" : " ") + word;
    if (!one.empty()) out += one + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("The 2009 post's tests stand above the run's own, with what each differs by") {
  // the post's means, by hand: 82.9625 and 84.31 on the same CPU, 84.44 and 86.04 in the same L2
  CHECK(words(beside(pinged("model", "udp-pingpong-wire", "dell-1950-wire"))) ==
        "Published beside here: lameter-2009, round trip, usecs\n"
        "Kernel Test 1 Test 2 Test 3 Test 4 Average to published to same CPU to 2.6.23\n"
        "same CPU\n"
        "2.6.23 published 83.35 82.81 82.83 82.86 82.96\n"
        "here, linux-2.6.23 82.50 82.50 82.50 82.50 82.50 -0.46\n"
        "2.6.25 published 84.28 84.29 84.37 84.3 84.31 +1.35\n"
        "here, linux-2.6.25 84.00 84.00 84.00 -0.31 +1.50\n"
        "another CPU, same L2\n"
        "2.6.23 published 84.59 84.5 84.33 84.34 84.44 +1.48\n"
        "here, linux-2.6.23 84.25 84.25 84.25 84.25 84.25 -0.19 +1.75\n"
        "2.6.25 published 86.12 85.8 86.2 86.04 86.04 +1.73 +1.60\n"
        "here, linux-2.6.25 86.50 86.50 86.50 +0.46 +2.50 +2.25\n");
}

TEST_CASE("Over loopback only differences stand beside a wire's, and of plain emulation none as they are") {
  const std::string loopback = beside(pinged("model", "udp-pingpong", "dell-1950"));
  CHECK(loopback.find("only differences between placements can be compared, times 1/2") != std::string::npos);
  CHECK(loopback.find("to published") == std::string::npos);
  CHECK(loopback.find("to 2.6.23") == std::string::npos);
  CHECK(beside(pinged("tcg-mt", "udp-pingpong-wire", "dell-1950")).find("to published") == std::string::npos);
}

TEST_CASE("A machine with a wire's end stands for the reference's in the wire's job alone") {
  CHECK_FALSE(beside(pinged("model", "udp-pingpong-wire", "dell-1950-wire")).empty());
  CHECK_FALSE(beside(pinged("kvm", "udp-pingpong-wire", "dell-1950")).empty());
  CHECK(beside(pinged("model", "udp-pingpong-wire", "q6600")).empty());
  CHECK(beside(pinged("model", "udp-pingpong", "dell-1950-wire")).empty());
}

TEST_CASE("Names that are hostile print as text in verdicts as well") {
  RunRecord record = records::hostile_names();
  const std::string text = verdicts(record, {});
  for (const char bad : {'\x1b', '\x07', '\r'}) CHECK(text.find(bad) == std::string::npos);
}

TEST_CASE("A run with nothing to compare has no verdicts") { CHECK(verdicts(records::head(1), {}).empty()); }
