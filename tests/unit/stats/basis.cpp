// SPDX-License-Identifier: GPL-2.0-or-later
// What may be compared with what. The rules are those of README's table of accelerators: functional figures
// say nothing of hardware, modelled ones are as good as their parameters, measured ones need the same place.
#include <catch2/catch_test_macros.hpp>

#include "rig/stats/basis.h"

using namespace rig;
using Kind = Comparison::Kind;

namespace {

FidelityRecord mapped(std::vector<std::string> pins = {"2", "3", "8", "9"}) {
  FidelityRecord guest;
  guest.machine = "q6600";
  guest.mapping = "exact";  // under the run's accelerator
  guest.pins = std::move(pins);
  guest.emulator = "0-1";
  guest.controls = {{"governor", "performance"}, {"busy", "1.0"}};
  guest.seen = {{"steal", 0.0}, {"vcpus-waited", 0.2}};
  return guest;
}

RunRecord run_of(const std::string& accelerator, std::vector<FidelityRecord> boots) {
  RunRecord record;
  record.accelerator = accelerator;
  for (auto& guest : boots) {
    AttemptRecord attempt;
    attempt.cell = "c";
    attempt.repetition = static_cast<int>(record.attempts.size());
    attempt.fidelity = {std::move(guest)};
    record.attempts.push_back(std::move(attempt));
  }
  return record;
}

Basis basis(const std::string& accelerator, std::vector<FidelityRecord> boots) {
  return basis_of(run_of(accelerator, std::move(boots)), "c");
}

bool says(const Comparison& comparison, const std::string& words) {
  for (const auto& reason : comparison.reasons)
    if (reason.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("Measured figures of the same host CPUs, exactly mapped and undisturbed, compare without a word") {
  const auto comparison = compare(basis("kvm", {mapped(), mapped()}), basis("kvm", {mapped()}));
  CHECK(comparison.kind == Kind::Sound);
  CHECK(comparison.reasons.empty());
}

TEST_CASE("Modelled, functional and measured figures are never set against each other") {
  const std::vector<std::string> all = {"kvm", "model", "tcg"};
  for (const auto& a : all) {
    for (const auto& b : all) {
      if (a == b) continue;
      CHECK(compare(basis(a, {mapped()}), basis(b, {mapped()})).kind == Kind::Refused);
    }
  }
}

TEST_CASE("Both kinds of plain emulation are functional, and say so beside every comparison") {
  CHECK(basis("tcg", {}).kind == BasisKind::Functional);
  CHECK(basis("tcg-mt", {}).kind == BasisKind::Functional);
  const auto comparison = compare(basis("tcg-mt", {mapped()}), basis("tcg-mt", {mapped()}));
  CHECK(comparison.kind == Kind::Restricted);
  CHECK(says(comparison, "functional only"));
}

TEST_CASE("Measured figures of other host CPUs are refused; the model has no host CPUs") {
  const auto comparison = compare(basis("kvm", {mapped()}), basis("kvm", {mapped({"4", "5", "6", "7"})}));
  CHECK(comparison.kind == Kind::Refused);
  CHECK(says(comparison, "different host CPUs"));
  FidelityRecord none;
  none.machine = "q6600";
  none.mapping = "none";
  CHECK(compare(basis("model", {none}), basis("model", {none})).kind == Kind::Sound);
}

TEST_CASE("Boots of one cell on different host CPUs restrict even its own figures") {
  const Basis moved = basis("kvm", {mapped(), mapped({"4", "5", "6", "7"})});
  CHECK(moved.pins.size() == 2);
  CHECK(moved.reasons == std::vector<std::string>{"its boots lay on different host CPUs"});
}

TEST_CASE("Lost relations, taking turns, steal and waiting are said beside the comparison") {
  FidelityRecord guest = mapped();
  guest.mapping = "partial";
  guest.lost = {"CPUs 0-1 and 2-3 share no cache; their host CPUs share an L3"};
  guest.overcommitted = true;
  guest.seen = {{"steal", 3.0}, {"vcpus-waited", 40.0}};
  const Basis worse = basis("kvm", {guest});
  CHECK_FALSE(worse.exact);
  CHECK(worse.overcommitted);
  const auto comparison = compare(worse, worse);
  CHECK(comparison.kind == Kind::Restricted);
  CHECK(comparison.reasons.size() == 4);
  CHECK(says(comparison, "took turns"));
  CHECK(says(comparison, "1 relation of its CPUs is lost"));
  CHECK(says(comparison, "took more than 1 %"));
  CHECK(says(comparison, "waited for a host CPU more than 10 %"));
}

TEST_CASE("A host set up otherwise refuses, its load of the moment says nothing") {
  FidelityRecord other = mapped();
  other.controls["governor"] = "powersave";
  const auto comparison = compare(basis("kvm", {mapped()}), basis("kvm", {other}));
  CHECK(comparison.kind == Kind::Refused);
  CHECK(says(comparison, "governor of the host was performance and powersave"));
  other.controls.erase("governor");  // a setting of which one side tells nothing is said beside it, whichever it is
  for (const auto& pair : {std::pair{mapped(), other}, {other, mapped()}}) {
    const auto unknown = compare(basis("kvm", {pair.first}), basis("kvm", {pair.second}));
    CHECK(unknown.kind == Kind::Restricted);
    CHECK(says(unknown, "governor of the host was"));
  }
  other = mapped();
  other.controls["busy"] = "73.0";
  CHECK(compare(basis("kvm", {mapped()}), basis("kvm", {other})).kind == Kind::Sound);
  FidelityRecord changed = mapped();
  changed.controls["governor"] = "powersave";
  const Basis varied = basis("kvm", {mapped(), changed});
  CHECK(says(compare(varied, varied), "governor of the host changed between boots"));
}

TEST_CASE(
    "A neighbour on the host in every boot of one cell and in none of the other refuses; here and there restricts") {
  FidelityRecord busy = mapped();
  busy.seen["steal"] = 5;
  CHECK(compare(basis("kvm", {mapped(), mapped()}), basis("kvm", {busy, busy})).kind == Kind::Refused);
  CHECK(compare(basis("kvm", {busy, busy}), basis("kvm", {mapped(), mapped()})).kind == Kind::Refused);
  CHECK(compare(basis("kvm", {mapped(), mapped()}), basis("kvm", {mapped(), busy})).kind == Kind::Restricted);
  CHECK(compare(basis("kvm", {busy, busy}), basis("kvm", {busy, busy})).kind == Kind::Restricted);
}

TEST_CASE("What an attempt ran under counts before what its run was meant to") {
  FidelityRecord other = mapped();
  other.accelerator = "tcg-mt";
  CHECK(basis("kvm", {other}).kind == BasisKind::Functional);
  const Basis mixed = basis("kvm", {mapped(), other});
  CHECK(mixed.kind == BasisKind::Functional);
  CHECK(mixed.reasons == std::vector<std::string>{"its boots ran under accelerators of different kinds"});
}

TEST_CASE("Only attempts that gave figures count") {
  RunRecord record = run_of("kvm", {mapped(), mapped({"4", "5", "6", "7"})});
  record.attempts[1].outcome = Outcome::PlacementMismatch;
  CHECK(basis_of(record, "c").pins.size() == 1);
  CHECK(basis_of(record, "another").pins.empty());
}

TEST_CASE("Measured figures of guests that were not pinned say so") {
  FidelityRecord loose = mapped({});
  loose.mapping = "none";
  CHECK(basis("kvm", {loose}).reasons == std::vector<std::string>{"its CPUs were not bound to host CPUs"});
}
