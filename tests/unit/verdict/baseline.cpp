// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <limits>

#include "tests/unit/report/records.h"
#include "tests/unit/verdict/simulated.h"

using Catch::Matchers::WithinAbs;
using namespace rig;
using namespace simulated;
using Kind = BaselineVerdict::Kind;

namespace {

const std::vector<double> around_100 = {99.2, 100.3, 100.9, 99.6, 100.1, 100.6, 99.4, 99.9},
                          around_90 = {89.3, 90.2, 90.8, 89.7, 90.1, 90.5, 89.5, 89.9};

RunRecord two(const std::vector<double>& plain, const std::vector<double>& patched,
              const std::string& accelerator = "kvm") {
  RunRecord record = head(accelerator);
  add_figures(record, "plain", "tcp-rr", {{"clients", "4"}}, "", "rate", "trans/s", plain);
  add_figures(record, "patched", "tcp-rr", {{"clients", "4"}}, "", "rate", "trans/s", patched);
  return record;
}

BaselineVerdict verdict(const RunRecord& record, double margin = 0.01) {
  Judging judging;
  judging.margin = margin;
  const auto all = verdicts_of(record, judging).baseline;
  REQUIRE(all.size() == 1);
  return all[0];
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace

TEST_CASE("A rate a tenth lower is worse, a tenth higher is better, each with its size and exact p") {
  const auto worse = verdict(two(around_100, around_90));
  CHECK(worse.kind == Kind::Worse);
  CHECK_THAT(worse.ratio->value, WithinAbs(0.9, 0.001));
  CHECK_THAT(*worse.p, WithinAbs(2.0 / 12870, 1e-12));  // choose(16, 8): the sides do not overlap
  CHECK(worse.shift->value < 0);
  CHECK(verdict(two(around_90, around_100)).kind == Kind::Better);
}

TEST_CASE("Of a time less is better") {
  RunRecord record = head();
  add_figures(record, "plain", "udp-pingpong", {}, "same-cpu", "mean", "us", around_100);
  add_figures(record, "patched", "udp-pingpong", {}, "same-cpu", "mean", "us", around_90);
  CHECK(verdict(record).kind == Kind::Better);
}

TEST_CASE("No difference is claimed beyond what the interval rules out, and only within the margin") {
  const auto none = verdict(two(around_100, scaled(around_100, 1.0005)), 0.02);
  CHECK(none.kind == Kind::NoDifference);
  CHECK(*none.within <= 0.02);
  CHECK(*none.within > 0.0005);
  const auto open = verdict(two(around_100, scaled(around_100, 1.0005)), 0.001);
  CHECK(open.kind == Kind::Undecided);
  CHECK(*open.needed > 8);
}

TEST_CASE("Too few repetitions are said to be so, with how many it takes") {
  const std::vector<double> four(around_100.begin(), around_100.begin() + 4),
      low(around_90.begin(), around_90.begin() + 4);
  const auto few = verdict(two(four, low), 0.05);
  CHECK(few.kind == Kind::Undecided);
  CHECK(few.reason.find("too few") != std::string::npos);
  CHECK(*few.needed >= 5);
  CHECK_FALSE(few.p);
}

TEST_CASE("Modelled figures get ranges and no p; one boot makes none, and overlapping ranges decide nothing") {
  const auto worse = verdict(two({100, 101, 102}, {40, 41, 42}, "model"));
  CHECK(worse.kind == Kind::Worse);
  CHECK_FALSE(worse.p);
  CHECK_THAT(worse.ratio->interval->first, WithinAbs(40.0 / 102, 1e-12));
  CHECK(verdict(two({100}, {40}, "model")).kind == Kind::Undecided);
  CHECK(*verdict(two({100}, {40}, "model")).needed == 3);
  CHECK(verdict(two({100, 101, 102}, {100, 103, 101}, "model")).kind == Kind::Undecided);
  CHECK(verdict(two({100, 100, 100}, {100, 100, 100}, "model")).kind == Kind::NoDifference);
}

TEST_CASE("Functional figures are not compared, nor those of an accelerator that is none of rig's") {
  for (const char* accelerator : {"tcg", "tcg-mt", "kvm+tcg", ""}) {
    const auto one = verdict(two(around_100, around_90, accelerator));
    CHECK(one.kind == Kind::NotComparable);
    CHECK_FALSE(one.reason.empty());
  }
}

TEST_CASE("A measured cell is not compared with a modelled one") {
  RunRecord record = two(around_100, around_90);
  FidelityRecord modelled = exact_on({});
  modelled.accelerator = "model";
  modelled.mapping = "none";
  set_fidelity(record, "plain", exact_on());
  set_fidelity(record, "patched", modelled);
  const auto one = verdict(record);
  CHECK(one.kind == Kind::NotComparable);
  CHECK(one.reason == "modelled figures against measured ones");
}

TEST_CASE("Measured cells on the same host CPUs under the same settings are compared") {
  RunRecord record = two(around_100, around_90);
  set_fidelity(record, "plain", exact_on());
  set_fidelity(record, "patched", exact_on());
  CHECK(verdict(record).kind == Kind::Worse);
}

TEST_CASE("Measured cells are not comparable where the host was another for each, and the reason is said") {
  RunRecord record = two(around_100, around_90);
  set_fidelity(record, "plain", exact_on());
  const auto refused = [&](const FidelityRecord& patched) {
    set_fidelity(record, "patched", patched);
    const auto one = verdict(record);
    CHECK(one.kind == Kind::NotComparable);
    CHECK_FALSE(one.p);
    return one.reason;
  };
  CHECK(refused(exact_on({"4", "5", "6", "7"})) == "their guests lay on different host CPUs");
  FidelityRecord other = exact_on();
  other.controls["governor"] = "powersave";
  CHECK(refused(other) == "governor of the host was performance and powersave");
  other = exact_on();
  other.seen["steal"] = 12;
  CHECK(refused(other).find("others took of its host CPUs' time, in none of the other's") != std::string::npos);
}

TEST_CASE("What limits both cells alike leaves them comparable with each other") {
  RunRecord record = two(around_100, around_90);
  FidelityRecord partial = exact_on();
  partial.mapping = "partial";
  partial.lost = {"CPUs 0 and 2 share no cache; their host CPUs share an L3"};
  partial.overcommitted = true;
  partial.seen["steal"] = 12;
  set_fidelity(record, "plain", partial);
  set_fidelity(record, "patched", partial);
  CHECK(verdict(record).kind == Kind::Worse);
}

TEST_CASE("Equal figures throughout are no difference; without spread, other figures are told apart by rank") {
  CHECK(verdict(two({5, 5, 5, 5, 5}, {5, 5, 5, 5, 5})).kind == Kind::NoDifference);
  CHECK(verdict(two({5, 5, 5, 5, 5}, {4, 4, 4, 4, 4})).kind == Kind::Worse);
}

TEST_CASE("A maximum is compared by rank only: it has no ratio, and no difference is never claimed of it") {
  RunRecord record = head();
  record.metrics = {{"tbench", "max_latency", "ms", "", false, true}};
  add_figures(record, "plain", "tbench", {}, "", "max_latency", "ms", around_90);
  add_figures(record, "patched", "tbench", {}, "", "max_latency", "ms", around_100);
  const auto one = verdict(record);
  CHECK(one.rank_only);
  CHECK(one.kind == Kind::Worse);
  CHECK_FALSE(one.ratio);
}

TEST_CASE("Drift and outliers are flagged, and nothing is dropped") {
  auto drifting = around_90;
  std::sort(drifting.begin(), drifting.end());
  drifting.back() = 300;
  const auto one = verdict(two(around_100, drifting));
  CHECK(one.n == 8);
  REQUIRE(one.flags.size() == 2);
  CHECK(one.flags[0].find("rise in the order of the run") != std::string::npos);
  CHECK(one.flags[1].find("1 of 8 boots far from the others") != std::string::npos);
}

TEST_CASE("What no benchmark can have measured changes no verdict") {
  const auto with = [](double value, const std::string& unit) {
    RunRecord record = two(around_100, around_90);
    for (const int cell : {0, 1}) add_value(record, "cell" + std::to_string(cell), 8, "rate", unit, value);
    return record;
  };
  for (const auto& [value, unit] : {std::pair{std::numeric_limits<double>::quiet_NaN(), "trans/s"},
                                    {std::numeric_limits<double>::infinity(), "trans/s"},
                                    {-90.0, "trans/s"},
                                    {0.0, "trans/s"},
                                    {1e308, "trans/s"},
                                    {90.0, "ktrans/s"}}) {
    const auto one = verdict(with(value, unit));
    INFO(value << " " << unit);
    CHECK(one.kind == Kind::Worse);
    CHECK(one.n == 8);
    CHECK_THAT(one.ratio->value, WithinAbs(0.9, 0.001));
    REQUIRE_FALSE(one.flags.empty());
    CHECK(one.flags[0].find("not counted") != std::string::npos);
  }
}

TEST_CASE("A name is only a name") {
  RunRecord record = two(around_100, around_90);
  const std::string name = "<script>alert(1)</script>\x1b[31m";
  for (auto& cell : record.cells) {
    if (cell.kernel == "patched") cell.kernel = name;
  }
  record.kernels[1].name = name;
  CHECK(verdict(record).kind == Kind::Worse);
}

TEST_CASE("A kernel against itself gives the noise floor of the matrix, on emulation too") {
  RunRecord record = two(around_100, scaled(around_100, 1.001), "tcg-mt");
  record.environment["aa"] = "yes";
  const Verdicts verdicts = verdicts_of(record, {});
  CHECK(verdicts.aa);
  CHECK(verdicts.baseline[0].kind != Kind::NotComparable);
  REQUIRE(verdicts.floor);
  CHECK(*verdicts.floor > 0.001);
  CHECK(*verdicts.floor < 0.02);
}

TEST_CASE("A cell that failed is told with why") {
  RunRecord record = two(around_100, {});
  AttemptRecord attempt;
  attempt.cell = "cell1";
  attempt.outcome = Outcome::Panic;
  record.attempts.push_back(attempt);
  const auto one = verdict(record);
  CHECK(one.kind == Kind::NotComparable);
  CHECK(one.reason == "patched has no figures: 1 panic");
}

TEST_CASE("A modelled sweep gets one verdict, over perturbed boots and over the numbers swept") {
  // of the record's three points the last, 1000 ns, is 52,000 to 58,000 of 50,000 to 60,000
  RunRecord record = records::swept();
  const auto both = verdict(record);
  CHECK(both.points == 3);
  CHECK(both.family == "q6600");
  CHECK(both.kind == Kind::Undecided);
  CHECK_THAT(both.ratio->interval->first, WithinAbs(23100.0 / 88000, 1e-9));
  CHECK_THAT(both.ratio->interval->second, WithinAbs(58000.0 / 50000, 1e-9));
  CHECK(both.reason == "over the sweep the ratios lie on both sides of 1");
  CHECK(both.flags ==
        std::vector<std::string>{"lowest at fsb.cache_to_cache=107ns, highest at fsb.cache_to_cache=1000ns"});
  for (auto& attempt : record.attempts) {
    if (attempt.cell == "cell5") attempt.samples[0].value = 30000;
  }
  const auto worse = verdict(record);
  CHECK(worse.kind == Kind::Worse);
  CHECK_THAT(worse.ratio->interval->second, WithinAbs(30000.0 / 50000, 1e-9));
}

TEST_CASE("A point of a sweep without figures is told, and too few points decide nothing") {
  RunRecord record = records::swept();
  for (auto& attempt : record.attempts) {
    if (attempt.cell == "cell5") attempt.outcome = Outcome::Panic;
  }
  const auto few = verdict(record);
  CHECK(few.kind == Kind::Undecided);
  CHECK(few.reason == "2 points with figures: a range takes 3");
  CHECK(few.flags[0] == "1 of 3 points without a figure to compare, the first fsb.cache_to_cache=1000ns");
}

TEST_CASE("Measured sweeps are judged point by point, each by its test") {
  RunRecord record = records::swept();
  record.accelerator = "kvm";
  CHECK(verdicts_of(record, {}).baseline.size() == 3);
}

TEST_CASE("Modelled boots that are alike to the last digit differ by nothing, however far they spread") {
  const auto same = verdict(two({100, 120, 110}, {100, 120, 110}, "model"));
  CHECK(same.kind == Kind::NoDifference);
  CHECK(*same.within == 0);
  CHECK(verdict(two({100, 120, 110}, {100, 110, 120}, "model")).kind == Kind::Undecided);
}

TEST_CASE("The baseline against itself with too few boots holds no check, for it has told no noise") {
  const auto aa = [](std::size_t boots, const std::string& accelerator) {
    const std::vector<double> values(around_100.begin(), around_100.begin() + static_cast<std::ptrdiff_t>(boots));
    RunRecord record = two(values, values, accelerator);
    record.environment["aa"] = "plain";
    return verdicts_of(record, {}).check;
  };
  CHECK(aa(1, "tcg").reasons == std::vector<std::string>{"too few boots to tell any noise: ask for 3 at least"});
  CHECK(aa(4, "kvm").reasons == std::vector<std::string>{"too few boots to tell any noise: ask for 5 at least"});
  CHECK(aa(3, "model").holds());
  CHECK(aa(8, "kvm").holds());
}
