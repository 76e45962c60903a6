// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/basis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace rig {
namespace {

// Percent of time beyond which a neighbour below or on this host has taken part in a figure.
constexpr double much_steal = 1, much_pressure = 10;

BasisKind kind_of(const std::string& accelerator) {
  if (accelerator == "kvm") return BasisKind::Measured;
  return accelerator == "model" ? BasisKind::Modelled : BasisKind::Functional;
}

// These tell of the moment before a boot, not of how the host is set up.
bool is_setting(const std::string& control) {
  static const std::vector<std::string> moments = {"steal", "busy", "CPU pressure", "free huge pages"};
  return std::find(moments.begin(), moments.end(), control) == moments.end();
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

double seen(const FidelityRecord& guest, const char* name) {
  const auto found = guest.seen.find(name);
  return found == guest.seen.end() ? 0 : found->second;
}

// What one guest of one attempt takes away from its figures; answers whether others took of its time.
bool add_reasons(const FidelityRecord& guest, std::vector<std::string>& reasons) {
  if (guest.overcommitted) add_once(reasons, fmt::format("{}: guest CPUs took turns on host CPUs", guest.machine));
  if (guest.mapping == "partial") {
    const std::size_t lost = guest.lost.size();
    std::string reason =
        fmt::format("{}: {} of its CPUs {} lost on this host", guest.machine,
                    lost == 1 ? "1 relation" : fmt::format("{} relations", lost), lost == 1 ? "is" : "are");
    if (lost > 0) reason += (lost == 1 ? ": " : ", the first: ") + guest.lost.front();
    add_once(reasons, reason);
  }
  const bool stolen = seen(guest, "steal") > much_steal, waited = seen(guest, "vcpus-waited") > much_pressure;
  if (stolen)
    add_once(reasons, fmt::format("{}: the hypervisor below this host took more than {:.0f} % of its CPUs' time",
                                  guest.machine, much_steal));
  if (waited)
    add_once(reasons, fmt::format("{}: its CPUs waited for a host CPU more than {:.0f} % of the time they had work",
                                  guest.machine, much_pressure));
  return stolen || waited;
}

std::string pins_text(const AttemptRecord& attempt) {
  std::string text;
  for (const auto& guest : attempt.fidelity) {
    if (guest.pins.empty()) continue;
    text += (text.empty() ? "" : "; ") +
            fmt::format("{} {}; others {}", guest.machine, fmt::join(guest.pins, ","), guest.emulator);
  }
  return text;
}

}  // namespace

std::string to_string(BasisKind kind) {
  return kind == BasisKind::Measured ? "measured" : kind == BasisKind::Modelled ? "modelled" : "functional";
}

Basis basis_of(const RunRecord& record, const std::string& cell) {
  std::vector<const AttemptRecord*> attempts;
  for (const auto& attempt : record.attempts) {
    if (attempt.cell == cell) attempts.push_back(&attempt);
  }
  return basis_of(record.accelerator, attempts);
}

Basis basis_of(const std::string& accelerator, const std::vector<const AttemptRecord*>& attempts) {
  Basis basis{.kind = kind_of(accelerator)};
  bool told = false;
  for (const auto* one : attempts) {
    const AttemptRecord& attempt = *one;
    if (attempt.outcome != Outcome::Ok) continue;
    const std::string pins = pins_text(attempt);
    if (!pins.empty()) add_once(basis.pins, pins);
    bool disturbed = false;
    for (const auto& guest : attempt.fidelity) {
      const BasisKind own = guest.accelerator.empty() ? basis.kind : kind_of(guest.accelerator);
      if (told && own != basis.kind) add_once(basis.reasons, "its boots ran under accelerators of different kinds");
      basis.kind = told ? std::min(basis.kind, own) : own;
      told = true;
      basis.exact = basis.exact && guest.mapping != "partial";
      basis.overcommitted = basis.overcommitted || guest.overcommitted;
      if (add_reasons(guest, basis.reasons)) disturbed = true;
      for (const auto& [name, value] : guest.controls) {
        if (!is_setting(name)) continue;
        const auto [slot, fresh] = basis.controls.try_emplace(name, value);
        if (!fresh && slot->second != value) slot->second = "varied";
      }
    }
    ++basis.boots;
    if (disturbed) ++basis.disturbed;
  }
  if (told && basis.kind == BasisKind::Measured && basis.pins.empty())
    basis.reasons.emplace_back("its CPUs were not bound to host CPUs");
  if (basis.pins.size() > 1) basis.reasons.emplace_back("its boots lay on different host CPUs");
  return basis;
}

namespace {

// Figures of the two were measured where the host itself makes a difference.
void forbid_other_hosts(const Basis& a, const Basis& b, std::vector<std::string>& reasons) {
  if (a.pins != b.pins) reasons.emplace_back("their guests lay on different host CPUs");
  for (const auto& [name, value] : a.controls) {
    const auto other = b.controls.find(name);
    if (other == b.controls.end() || other->second == value || value == "varied" || other->second == "varied") continue;
    reasons.push_back(fmt::format("{} of the host was {} and {}", name, value, other->second));
  }
  const auto always = [](const Basis& one) { return one.boots > 0 && one.disturbed == one.boots; };
  if ((always(a) && b.boots > 0 && b.disturbed == 0) || (always(b) && a.boots > 0 && a.disturbed == 0))
    reasons.emplace_back("in every boot of one of the two others took of its host CPUs' time, in none of the other's");
}

}  // namespace

Comparison compare(const Basis& baseline, const Basis& candidate) {
  using enum Comparison::Kind;
  if (baseline.kind != candidate.kind)
    return {Refused, {fmt::format("{} figures against {} ones", to_string(candidate.kind), to_string(baseline.kind))}};
  Comparison result;
  if (baseline.kind == BasisKind::Measured) forbid_other_hosts(baseline, candidate, result.reasons);
  if (!result.reasons.empty()) {
    result.kind = Refused;
    return result;
  }
  const auto say = [&](const std::string& reason) {
    result.kind = Restricted;
    add_once(result.reasons, reason);
  };
  if (baseline.kind == BasisKind::Functional)
    say("functional only: a difference is one of emulated work, not of time on hardware");
  std::set<std::string> names;
  for (const auto* side : {&baseline, &candidate}) {
    for (const auto& [name, value] : side->controls) names.insert(name);
  }
  for (const auto& name : names) {
    const auto a = baseline.controls.find(name), b = candidate.controls.find(name);
    const auto of = [](const Basis& basis, const auto& at) {
      return at == basis.controls.end() ? std::string("not known") : at->second;
    };
    const std::string one = of(baseline, a), other = of(candidate, b);
    if (one == "varied" || other == "varied")
      say(fmt::format("{} of the host changed between boots", name));
    else if (one != other)
      say(fmt::format("{} of the host was {} and {}", name, one, other));
  }
  for (const auto* side : {&baseline, &candidate}) {
    for (const auto& reason : side->reasons) say(reason);
  }
  return result;
}

}  // namespace rig
