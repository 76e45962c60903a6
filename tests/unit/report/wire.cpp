// SPDX-License-Identifier: GPL-2.0-or-later
// Two guests on a wire: the peer's kernel and the cards are named, and what was on target and lost is told.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "records.h"
#include "rig/report/report.h"

using Catch::Matchers::ContainsSubstring;
using rig::Outcome;
using rig::text_report;

namespace {

// The 2009 post's first two kernels on one CPU, 2.6.22 fixed as the peer.
rig::RunRecord over_wire() {
  auto record = records::head(2);
  record.baseline = "linux-2.6.23";
  record.kernels = {{"linux-2.6.23", "", "v2.6.23", "2.6.23", "gcc", "a"},
                    {"linux-2.6.22", "", "v2.6.22", "2.6.22", "gcc", "b"}};
  record.environment["wire.linux-2.6.22"] = "e1000";
  record.environment["wire.linux-2.6.23"] = "e1000";
  record.metrics = {{"udp-pingpong-wire", "mean", "us", "", false, true}};
  const auto cell = records::add_cell(record, "linux-2.6.23", "dell-1950", "udp-pingpong-wire",
                                      {{"bind", "both"}, {"peer", "linux-2.6.22"}}, "same-cpu");
  const auto samples = [](double mean, double guest, double peer, double lost) {
    return std::vector<rig::Sample>{{"mean", "us", mean, 0},           {"wire.interrupts", "%", guest, 1},
                                    {"wire.interrupts", "%", peer, 2}, {"wire.received", "%", 100, 1},
                                    {"wire.received", "%", 99.5, 2},   {"wire.lost", "round trips", lost, 0}};
  };
  records::add_attempt(record, cell, 0, Outcome::Ok, samples(83.35, 100, 99.999, 1));
  records::add_attempt(record, cell, 1, Outcome::Ok, samples(82.81, 99.25, 100, 2));
  return record;
}

}  // namespace

TEST_CASE("A kernel that only peers boot is named as such, and each kernel's card") {
  const std::string text = text_report(over_wire(), 100);
  CHECK_THAT(text, ContainsSubstring("linux-2.6.22 (peer only): Linux 2.6.22"));
  CHECK_THAT(text, ContainsSubstring("linux-2.6.23 (baseline): Linux 2.6.23"));
  CHECK_THAT(text, ContainsSubstring("Cards on the wire\n  linux-2.6.22: e1000; linux-2.6.23: e1000\n"));
  CHECK_THAT(text, ContainsSubstring("(bind=both, peer=linux-2.6.22)"));
}

TEST_CASE("The least share of any boot is told, not rounded up, and all that was lost") {
  const std::string text = text_report(over_wire(), 100);
  CHECK_THAT(text, ContainsSubstring("On the wire: % of the card's interrupts"));
  CHECK_THAT(text, ContainsSubstring("linux-2.6.23  same CPU       99.25   99.99     100.00   99.50     3"));
}

TEST_CASE("Without a wire a report says nothing of one") {
  const std::string text = text_report(records::head(1), 100);
  CHECK(text.find("wire") == std::string::npos);
}

TEST_CASE("The files of a peer that failed are the peer's") {
  auto record = over_wire();
  record.attempts[1].outcome = Outcome::PeerPanic;
  record.attempts[1].reason = "the peer: Kernel panic - not syncing";
  record.attempts[1].samples.clear();
  CHECK_THAT(text_report(record, 100), ContainsSubstring("files: cells/cell0/1.0/peer\n"));
}
