// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "tests/unit/verdict/simulated.h"

using Catch::Matchers::WithinAbs;
using namespace rig;
using namespace simulated;
using Kind = ClaimVerdict::Kind;

namespace {

Printed number(const std::string& text) { return {text, std::stod(text)}; }

// The 2014 post's TCP_RR with its rates, and the 2009 post's 2.6.22 with its averages (over a wire).
Judging posts() {
  Reference reference;
  reference.name = "posts";
  reference.topology = "q6600";
  reference.kernels = {{"master", ""}, {"master-BLD", ""}};
  PublishedTable rates;
  rates.name = "tcp-rr";
  rates.jobs = {{"tcp-rr", "loopback", 1, {{"bytes", "1"}}}};
  rates.metrics = {"rate"};
  rates.unit = "trans/s";
  rates.path = "loopback";
  rates.rows = {{"master", "", {{"clients", "4"}}, {number("289581.86")}, {}, {}, {}},
                {"master-BLD", "", {{"clients", "4"}}, {number("115719.86")}, {}, {}, {}}};
  PublishedTable times;
  times.name = "udpping";
  times.jobs = {{"udp-pingpong", "loopback", 2, {}}};
  times.metrics = {"mean"};
  times.unit = "us";
  times.path = "wire";
  times.rows = {{"master", "same-cpu", {}, {number("82.94")}, {}, {}, {}},
                {"master", "same-l2", {}, {number("84.59")}, {}, {}, {}},
                {"master", "same-package", {}, {number("89.93")}, {}, {}, {}}};
  reference.tables = {rates, times};
  const auto claim = [&](const char* name, const char* table, PublishedClaim::Kind kind, std::vector<Selector> cells,
                         Tolerance within) {
    PublishedClaim one;
    one.name = name;
    one.table = table;
    one.kind = kind;
    one.cells = std::move(cells);
    one.within = within;
    reference.claims.push_back(one);
  };
  using Of = PublishedClaim::Kind;
  claim("bld", "tcp-rr", Of::Ratio, {{"master-BLD", "", {{"clients", "4"}}}, {"master", "", {{"clients", "4"}}}},
        {0.25, 0});
  claim("same-l2", "udpping", Of::Difference, {{"master", "same-l2", {}}, {"master", "same-cpu", {}}}, {0.25, 0.5});
  claim("order", "udpping", Of::Order,
        {{"master", "same-cpu", {}}, {"master", "same-l2", {}}, {"master", "same-package", {}}}, {});
  claim("times", "udpping", Of::Ratio, {{"master", "same-l2", {}}, {"master", "same-cpu", {}}}, {0.01, 0});
  Judging judging;
  judging.reference = std::move(reference);
  judging.stands_for = {{"plain", "master"}, {"patched", "master-BLD"}};
  return judging;
}

RunRecord rates(double ratio, const std::string& accelerator, std::size_t boots = 8, double spread = 0.004) {
  RunRecord record = head(accelerator);
  for (const char* kernel : {"plain", "patched"}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < boots; ++i)
      values.push_back(1000 * (kernel[1] == 'l' ? 1 : ratio) * (1 + spread * (static_cast<double>(i % 5) - 2)));
    add_figures(record, kernel, "tcp-rr", {{"clients", "4"}, {"bytes", "1"}}, "", "rate", "trans/s", values);
  }
  return record;
}

RunRecord times(const std::string& accelerator, double cpu, double l2, double package) {
  RunRecord record = head(accelerator);
  for (const auto& [placement, value] : {std::pair{"same-cpu", cpu}, {"same-l2", l2}, {"same-package", package}})
    add_figures(record, "plain", "udp-pingpong", {{"bytes", "40"}}, placement, "mean", "us",
                {value, value + 0.05, value - 0.05});
  return record;
}

ClaimVerdict claim(const RunRecord& record, const std::string& name) {
  for (const auto& one : verdicts_of(record, posts()).claims) {
    if (one.claim == name) return one;
  }
  return {};
}

bool notes(const ClaimVerdict& one, const std::string& words) {
  return std::any_of(one.notes.begin(), one.notes.end(),
                     [&](const auto& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("A modelled ratio within the tolerance of .39961 is reproduced, beyond it of the same direction or none") {
  const auto near = claim(rates(0.33, "model"), "bld");
  CHECK(near.kind == Kind::Reproduced);
  CHECK_THAT(*near.published, WithinAbs(0.39961, 1e-5));
  CHECK(near.fidelity == Fidelity::Kind::Modelled);
  CHECK(notes(near, "plain stands for master"));
  CHECK(claim(rates(0.2, "model"), "bld").kind == Kind::SameDirection);
  CHECK(claim(rates(0.8, "model"), "bld").kind == Kind::SameDirection);
  CHECK(claim(rates(1.2, "model"), "bld").kind == Kind::NotReproduced);
  CHECK(claim(rates(0.999, "model"), "bld").kind == Kind::NotReproduced);  // the range includes 1
}

TEST_CASE("A measured ratio is judged by its interval, and not at all with too few boots") {
  CHECK(claim(rates(0.4, "kvm"), "bld").kind == Kind::Reproduced);
  CHECK(claim(rates(0.4, "kvm"), "bld").confidence == 0.95);
  CHECK(claim(rates(0.6, "kvm"), "bld").kind == Kind::SameDirection);
  CHECK(claim(rates(1.3, "kvm"), "bld").kind == Kind::NotReproduced);
  const auto few = claim(rates(0.4, "kvm", 3), "bld");
  CHECK(few.kind == Kind::Undecided);
  CHECK(*few.needed == 5);
  const auto edge = claim(rates(0.49, "kvm", 8, 0.05), "bld");  // the edge is .4995
  CHECK(edge.kind == Kind::Undecided);
  CHECK(*edge.needed > 8);
}

TEST_CASE("Functional figures are never compared with published ones, nor is a mixture") {
  for (const char* accelerator : {"tcg", "tcg-mt"}) {
    const auto one = claim(rates(0.4, accelerator), "bld");
    CHECK(one.kind == Kind::NotComparable);
    CHECK(one.reason.find("functional only") == 0);
  }
  CHECK(claim(rates(0.4, "kvm+model"), "bld").kind == Kind::NotComparable);
  RunRecord mixed = rates(0.4, "kvm");
  FidelityRecord modelled = exact_on({});
  modelled.accelerator = "model";
  modelled.mapping = "none";
  set_fidelity(mixed, "plain", exact_on());
  set_fidelity(mixed, "patched", modelled);
  CHECK(claim(mixed, "bld").kind == Kind::NotComparable);
}

TEST_CASE("A host that does not carry the machine, or is not quiet, measures no published claim, and says why") {
  const auto reason = [](const FidelityRecord& guest) {
    RunRecord record = rates(0.4, "kvm");
    set_fidelity(record, "plain", guest);
    set_fidelity(record, "patched", guest);
    const auto one = claim(record, "bld");
    return one.kind == Kind::NotComparable ? one.reason : to_string(one.kind);
  };
  CHECK(reason(exact_on()) == "reproduced");
  FidelityRecord guest = exact_on();
  guest.mapping = "partial";
  guest.lost = {"CPUs 0 and 2 share no cache; their host CPUs share an L3", "CPUs 0 and 3 share no cache"};
  CHECK(reason(guest) == "q6600: 2 relations of its CPUs are lost on this host, the first: " + guest.lost.front());
  guest = exact_on();
  guest.overcommitted = true;
  CHECK(reason(guest) == "q6600: guest CPUs took turns on host CPUs");
  guest = exact_on();
  guest.seen["steal"] = 3;
  CHECK(reason(guest).find("took more than 1 %") != std::string::npos);
  guest = exact_on();
  guest.seen["vcpus-waited"] = 40;
  CHECK(reason(guest).find("waited for a host CPU more than 10 %") != std::string::npos);
  guest = exact_on({});
  guest.mapping = "none";
  CHECK(reason(guest) == "its CPUs were not bound to host CPUs");
}

TEST_CASE("Figures of different settings of the host give no claim between them") {
  RunRecord record = rates(0.4, "kvm");
  FidelityRecord other = exact_on();
  other.controls["boost"] = "on";
  FidelityRecord one = exact_on();
  one.controls["boost"] = "off";
  set_fidelity(record, "plain", one);
  set_fidelity(record, "patched", other);
  CHECK(claim(record, "bld").reason.find("boost of the host was") == 0);
}

TEST_CASE("Loopback stands beside a wire only as a difference between placements, by its crossings, and says so") {
  const auto one = claim(times("model", 4, 8.4, 18), "same-l2");
  CHECK(one.kind == Kind::SameDirection);  // 4.4 / 2 = 2.2 against 1.65 +- 0.5
  CHECK_THAT(*one.value, WithinAbs(2.2, 1e-9));
  CHECK(notes(one, "times 1/2 for the crossings"));
  CHECK(claim(times("model", 4, 7.4, 18), "same-l2").kind == Kind::Reproduced);
  CHECK(claim(times("model", 4, 3, 18), "same-l2").kind == Kind::NotReproduced);
  const auto ratio = claim(times("model", 4, 8.4, 18), "times");
  CHECK(ratio.kind == Kind::NotComparable);
  CHECK(ratio.reason.find("only differences between placements") != std::string::npos);
}

TEST_CASE("An order is reproduced where every step is there, else told with what is not") {
  CHECK(claim(times("model", 4, 8, 18), "order").kind == Kind::Reproduced);
  CHECK(notes(claim(times("model", 4, 8, 18), "order"), "only the order of placements"));
  const auto reversed = claim(times("model", 4, 19, 18), "order");
  CHECK(reversed.kind == Kind::SameDirection);
  CHECK(reversed.reason == "reversed: same-l2 and same-package");
  CHECK(claim(times("model", 18, 8, 4), "order").kind == Kind::NotReproduced);
  CHECK(claim(times("model", 4, 4.05, 18), "order").reason == "not told apart: same-cpu and same-l2");
  CHECK(claim(times("kvm", 4, 8, 18), "order").kind == Kind::Undecided);  // three boots
}

TEST_CASE("Kernels, machines and units that are not the published ones are told apart") {
  CHECK(claim(times("model", 4, 8, 18), "bld").kind == Kind::NotRun);
  RunRecord elsewhere = rates(0.33, "model");
  for (auto& cell : elsewhere.cells) cell.topology = "dell-1950";
  CHECK(claim(elsewhere, "bld").reason == "it was run on another machine than q6600 only");
  RunRecord unit = rates(0.33, "model");
  for (auto& metric : unit.metrics) metric.unit = "ktrans/s";
  for (auto& attempt : unit.attempts) attempt.samples[0].unit = "ktrans/s";
  CHECK(claim(unit, "bld").kind == Kind::NotComparable);
  RunRecord bytes = rates(0.33, "model");
  for (auto& cell : bytes.cells) cell.parameters["bytes"] = "64";
  CHECK(claim(bytes, "bld").kind == Kind::NotRun);
}

TEST_CASE("What no benchmark can have measured changes no claim's verdict") {
  for (const double value : {-5.0, 1e308, std::nan("")}) {
    RunRecord record = rates(0.33, "model");
    add_value(record, "cell1", 99, "rate", "trans/s", value);
    CHECK(claim(record, "bld").kind == Kind::Reproduced);
    CHECK(notes(claim(record, "bld"), "no figure can be so"));
  }
}

TEST_CASE("A check holds where its claims reach what was asked, and else says why") {
  Judging judging = posts();
  judging.check = CheckRules{{{"bld", LeastClaim::Reproduced}}, false, BaselineRule::None};
  CHECK(verdicts_of(rates(0.33, "model"), judging).check.holds());
  const auto far = verdicts_of(rates(0.2, "model"), judging).check;
  CHECK(far.reasons == std::vector<std::string>{"claim bld: same direction, asked is reproduced"});
  judging.check->claims["bld"] = LeastClaim::SameDirection;
  CHECK(verdicts_of(rates(0.2, "model"), judging).check.holds());
  CHECK_FALSE(verdicts_of(rates(0.33, "tcg"), judging).check.holds());
  CHECK_FALSE(verdicts_of(times("model", 4, 8, 18), judging).check.holds());  // it was not run
}

TEST_CASE("A check of the baseline takes a worse cell for a fault, and under decided an undecided one") {
  Judging judging;
  judging.check = CheckRules{{}, false, BaselineRule::NotWorse};
  CHECK(verdicts_of(rates(1.3, "kvm"), judging).check.holds());
  CHECK(verdicts_of(rates(0.5, "kvm"), judging).check.reasons.size() == 1);
  CHECK(verdicts_of(rates(1.0, "kvm", 3), judging).check.holds());
  judging.check->baseline = BaselineRule::Decided;
  CHECK_FALSE(verdicts_of(rates(1.0, "kvm", 3), judging).check.holds());
  CHECK(verdicts_of(rates(0.5, "kvm"), judging).check.holds());
}
