// SPDX-License-Identifier: GPL-2.0-or-later
// Two runs beside each other.
#include "rig/report/compare.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>

#include "records.h"
#include "rig/base/base.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

const std::vector<Topology> none;

std::string compared(const RunRecord& a, const RunRecord& b, ReportFormat format = ReportFormat::Text) {
  return compare_report({a, "run-a", none}, {b, "run-b", none}, format);
}

// The same matrix on a host where everything takes a tenth longer.
RunRecord slower() {
  RunRecord record = records::several_boots();
  for (auto& attempt : record.attempts) {
    for (auto& sample : attempt.samples) sample.value *= sample.metric == "max_latency" ? 1 : 0.9;
  }
  record.environment["host-cpu"] = "Another CPU";
  record.environment["qemu"] = "9.2.0";
  return record;
}

void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(RIG_SOURCE_DIR) / "tests/golden/report" / (name + ".txt");
  if (std::getenv("RIG_WRITE_GOLDEN") != nullptr) write_file(file, text);
  CHECK(text == read_file(file));
}

}  // namespace

TEST_CASE("Two runs of one matrix stand beside each other, with what differs between them") {
  const std::string text = compared(records::several_boots(), slower());
  check_golden("compared", text);
  CHECK_THAT(text, ContainsSubstring("45140.80") && ContainsSubstring("40626.72"));  // 225,704 / 5, and nine tenths
  CHECK_THAT(text, ContainsSubstring("0.900 ["));
  CHECK_THAT(text, ContainsSubstring("9.2.0") && ContainsSubstring("Another CPU"));
  CHECK_THAT(compared(records::several_boots(), slower(), ReportFormat::Markdown), ContainsSubstring("| 0.900 ["));
  CHECK_THAT(compared(records::several_boots(), slower(), ReportFormat::Html), ContainsSubstring("<table>"));
}

TEST_CASE("Each cell of the one run gets a verdict against the other's, Holm over all of them") {
  // five boots against five without an overlap: exactly 2 of 252 orders, times 4 comparisons
  const std::string text = compared(records::several_boots(), slower());
  CHECK_THAT(text, ContainsSubstring("  worse  ") && ContainsSubstring("0.032") && !ContainsSubstring("  better  "));
  CHECK_THAT(text, ContainsSubstring("Holm over 4 comparisons") && ContainsSubstring("not in turns"));
  const std::string back = compared(slower(), records::several_boots());
  CHECK_THAT(back, ContainsSubstring("  better  ") && !ContainsSubstring("  worse  "));
  CHECK_THAT(compared(records::several_boots(), records::several_boots()),
             ContainsSubstring("no difference") && ContainsSubstring("none beyond 0."));
}

TEST_CASE("Verdicts between runs go by the stricter of the two runs' rules") {
  Judging wide, narrow;
  wide.margin = 0.2;
  narrow.margin = 0.001;
  const RunRecord a = records::several_boots(), b = records::several_boots();
  const auto text = [&](const Judging& left, const Judging& right) {
    return compare_report({a, "run-a", none, &left}, {b, "run-b", none, &right}, ReportFormat::Text);
  };
  CHECK_THAT(text(wide, wide), ContainsSubstring("no difference") && !ContainsSubstring("undecided"));
  CHECK_THAT(text(wide, narrow), ContainsSubstring("undecided") && !ContainsSubstring("no difference"));
}

TEST_CASE("Remarks that would make the table of verdicts too wide stand below it, each once") {
  const std::string text = compared(records::perturbed(), records::perturbed());
  CHECK_THAT(text, ContainsSubstring("(1) none beyond 0.0 %; alike to the last digit in every boot"));
  CHECK_THAT(text, !ContainsSubstring("(2)") && ContainsSubstring("[1.000, 1.000]      3  (1)\n"));
}

TEST_CASE("Modelled runs of the same guests are alike to the last digit, and functional ones are not judged") {
  CHECK_THAT(compared(records::perturbed(), records::perturbed()), ContainsSubstring("alike to the last digit"));
  RunRecord plain = records::perturbed();
  plain.accelerator = "tcg";
  CHECK_THAT(compared(plain, plain), ContainsSubstring("not comparable") && ContainsSubstring("functional only"));
}

TEST_CASE("Accelerators are never mixed: measured, modelled and functional figures are three things") {
  RunRecord modelled = records::several_boots();
  modelled.accelerator = "model";
  std::string message;
  try {
    compared(records::several_boots(), modelled);
  } catch (const InputError& error) {
    message = std::string(error.what()) + "\n";
  }
  check_golden("mixed-accelerators", message);
  CHECK_THAT(message, ContainsSubstring("run-a is kvm (measured), run-b is model (modelled)"));
}

TEST_CASE("Other parameters of the job are refused by name") {
  RunRecord longer = records::several_boots();
  for (auto& cell : longer.cells) cell.parameters["seconds"] = "30";
  REQUIRE_THROWS_MATCHES(compared(records::several_boots(), longer), InputError,
                         MessageMatches(ContainsSubstring("seconds 3 against 30")));
  // where one cell is the same, it is compared and the others are told
  longer.cells[0].parameters["seconds"] = "3";
  const std::string text = compared(records::several_boots(), longer);
  CHECK_THAT(text, ContainsSubstring("Not compared") && ContainsSubstring("seconds 3 against 30"));
}

TEST_CASE("A modelled machine of other numbers is another machine") {
  RunRecord other = records::perturbed();
  other.topologies[0].timing = "aaaaaaaaaaaa, fitted to a published figure";
  REQUIRE_THROWS_MATCHES(
      compared(records::perturbed(), other), InputError,
      MessageMatches(ContainsSubstring("its timing is not the same: 3f2a91c0d1e2 against aaaaaaaaaaaa")));
}

TEST_CASE("A machine of the same name and another shape is refused") {
  const RunRecord record = records::several_boots();
  Topology machine;
  machine.name = "q6600";
  machine.cores = 4;
  machine.nodes = {{{0, 1, 2, 3}, 1U << 30U}};
  Topology other = machine;
  other.dies = 2;
  other.cores = 2;
  const std::vector<Topology> left = {machine}, right = {other};
  REQUIRE_THROWS_MATCHES(compare_report({record, "a", left}, {record, "b", right}, ReportFormat::Text), InputError,
                         MessageMatches(ContainsSubstring("its definition is not the same")));
  CHECK_NOTHROW(compare_report({record, "a", left}, {record, "b", left}, ReportFormat::Text));
}

TEST_CASE("Another unit is refused") {
  RunRecord other = records::several_boots();
  for (auto& metric : other.metrics) {
    if (metric.metric == "lines") metric.unit = "klines/s";
  }
  REQUIRE_THROWS_MATCHES(compared(records::several_boots(), other), InputError,
                         MessageMatches(ContainsSubstring("lines is in lines/s against klines/s")));
}

TEST_CASE("Another kernel in the same place is set against the one before") {
  RunRecord other = records::several_boots();
  for (auto& kernel : other.kernels) kernel.name = kernel.name == "debian-6.1" ? "debian-6.1" : "debian-6.12-bld";
  for (auto& cell : other.cells) cell.kernel = cell.kernel == "debian-6.1" ? "debian-6.1" : "debian-6.12-bld";
  const std::string text = compared(records::several_boots(), other);
  CHECK_THAT(text, ContainsSubstring("kernels: debian-6.1-bld against debian-6.12-bld"));
  CHECK_THAT(text, ContainsSubstring("debian-6.1-bld / debian-6.12-bld"));
}

TEST_CASE("Runs of different jobs have nothing to compare, and each reason is told") {
  REQUIRE_THROWS_MATCHES(
      compared(records::several_boots(), records::outlier()), InputError,
      MessageMatches(ContainsSubstring("run-b has no job tbench") && ContainsSubstring("run-a has no job tcp-rr")));
}

TEST_CASE("Failed cells are there beside the others, and hostile names are text") {
  CHECK_THAT(compared(records::some_failed(), records::some_failed()), ContainsSubstring("no result: 3 panic"));
  for (const char bad : {'\x1b', '\x07', '\r'})
    CHECK(compared(records::hostile_names(), records::hostile_names()).find(bad) == std::string::npos);
}
