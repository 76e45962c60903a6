// SPDX-License-Identifier: GPL-2.0-or-later
// Rounds inside a boot, unfinished runs, and tables that must fit.
#include "rig/report/rounds.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sstream>

#include "formats.h"

using namespace rig;
using namespace formats;

namespace {

// The 2009 post's same-CPU tests of 2.6.25 to 2.6.29, each kernel taken for a boot and each test for a round.
RunRecord five_boots_of_four(double first = 0) {
  RunRecord record = records::head(5);
  record.environment["rounds"] = "4 rounds after 1 of warm-up";
  record.metrics = {{"udp-pingpong", "mean", "us", "", false, true}};
  const auto cell = records::add_cell(record, "debian-6.1", "q6600", "udp-pingpong", {{"bytes", "40"}});
  const double rounds[][4] = {{84.28, 84.29, 84.37, 84.3},
                              {84.72, 84.38, 84.41, 84.68},
                              {84.56, 84.44, 84.41, 84.58},
                              {84.7, 84.43, 84.47, 84.48},
                              {84.91, 84.67, 84.69, 84.75}};
  int boot = 0;
  for (const auto& one : rounds) {
    std::vector<Sample> samples = {{"mean", "us", (one[0] + one[1] + one[2] + one[3]) / 4, 0}};
    for (int i = 0; i < 4; ++i) samples.push_back({"round.mean", "us", one[i] + (i == 0 ? first : 0), i + 1});
    samples.push_back({"warmup.mean", "us", 99, 1});
    records::add_attempt(record, cell, boot++, Outcome::Ok, std::move(samples));
  }
  return record;
}

std::string text_of_run(const RunRecord& record) { return written(record, ReportFormat::Text); }

}  // namespace

TEST_CASE("The report takes boots and rounds apart, as R's anova does, and says how many rounds pay") {
  const std::string text = text_of_run(five_boots_of_four());
  // sqrt((0.1004075 - 0.0134033) / 4) and sqrt(0.0134033), of 84.526; sqrt(1600 / 1050 * 0.0134 / 0.0218) rounded up
  CHECK_THAT(text, ContainsSubstring("Rounds inside a boot: mean"));
  CHECK_THAT(text, ContainsSubstring("0.17 %") && ContainsSubstring("0.14 %") && ContainsSubstring("like the others"));
  CHECK_THAT(text, ContainsSubstring("5 boots (4 rounds after 1 of warm-up) of"));
  CHECK_THAT(text, ContainsSubstring("84.526") && !ContainsSubstring("99.0"));
  CHECK_THAT(written(five_boots_of_four(), ReportFormat::Markdown), ContainsSubstring("Rounds inside a boot"));
}

TEST_CASE("A first round that stands out in every boot is told, for the warm-up was too short") {
  const std::string text = text_of_run(five_boots_of_four(5));
  CHECK_THAT(text, ContainsSubstring("the highest in 5 of 5 boots (p 0.002)"));  // 2 * (1/4)^5
}

TEST_CASE("Rounds of a boot that failed, and rounds that are no numbers, enter nothing") {
  RunRecord record = five_boots_of_four();
  record.attempts[0].outcome = Outcome::BenchmarkFailed;
  record.attempts[1].samples[1].value = std::numeric_limits<double>::quiet_NaN();
  const report::Lookup lookup(record);
  const auto boots = report::rounds_of(lookup, "cell0", "mean");
  REQUIRE(boots.size() == 4);
  CHECK(boots[0] == std::vector<double>{84.38, 84.41, 84.68});
}

TEST_CASE("A boot of one round has no such table, and a run that is under way says how much is missing") {
  const std::string whole = text_of_run(records::several_boots());
  CHECK_THAT(whole, !ContainsSubstring("Rounds inside") && !ContainsSubstring("Not finished"));
  RunRecord part = records::several_boots();
  part.attempts.resize(part.attempts.size() - 3);
  for (const auto format : {ReportFormat::Text, ReportFormat::Markdown, ReportFormat::Html})
    CHECK_THAT(written(part, format), ContainsSubstring("Not finished: 3 of 20 boots have not run"));
  CHECK(text_of_run(part).find("Not finished") < text_of_run(part).find("Verdicts"));
}

TEST_CASE("Where the cycles went fits the width asked for, however many cells there are") {
  RunRecord record = records::perturbed();
  for (int i = 0; i < 4; ++i) {
    for (const char* kernel : {"debian-6.1", "debian-6.1-bld"}) {
      const auto cell =
          records::add_cell(record, kernel, "q6600", "tcp-rr", {{"clients", std::to_string(8 << i)}, {"bytes", "1"}});
      records::add_attempt(record, cell, 0, Outcome::Ok, {{"rate", "trans/s", 90000, 0}});
    }
  }
  for (auto& attempt : record.attempts) {
    for (const char* name : {"elapsed", "compute.cycles", "served.transfer-package.cycles", "idle", "instructions"})
      attempt.samples.push_back({std::string("model.") + name, "cycles", 1e9, 0});
    attempt.samples.push_back({"model.duration", "ns", 1e9, 0});
  }
  std::istringstream text(text_of_run(record));
  bool inside = false;
  std::size_t rows = 0;
  for (std::string line; std::getline(text, line);) {
    inside = line.find("Where the cycles went") != std::string::npos || (inside && !line.empty());
    if (!inside) continue;
    CHECK(line.size() <= 100);
    rows += line.find("from another L2 of the package") != std::string::npos ? 1 : 0;
  }
  CHECK(rows > 1);
}

TEST_CASE("Claims of kernels that were not run are named in one line, not listed one by one") {
  Judging judging = records::tcp_rr();
  PublishedClaim other = judging.reference->claims[0];
  judging.reference->kernels.emplace_back("4.0", "");
  judging.reference->tables[0].rows.push_back({"4.0", "", {{"clients", "4"}}, {records::number("100000")}, {}, {}, {}});
  other.name = "later";
  other.cells[0].kernel = "4.0";
  judging.reference->claims.push_back(other);
  const RunRecord record = records::perturbed();
  const std::string md = written(record, ReportFormat::Markdown, judged(record, judging));
  CHECK_THAT(md, ContainsSubstring("not run, for want of their cells: later"));
  CHECK_THAT(md, !ContainsSubstring("| later"));
}
