// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/stats/basis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

// What one guest of one attempt takes away from its figures.
void add_reasons(const FidelityRecord& guest, std::vector<std::string>& reasons) {
  if (guest.overcommitted) add_once(reasons, fmt::format("{}: guest CPUs took turns on host CPUs", guest.machine));
  if (guest.mapping == "partial") {
    const std::size_t lost = guest.lost.size();
    add_once(reasons,
             fmt::format("{}: {} of its CPUs {} lost on this host", guest.machine,
                         lost == 1 ? "1 relation" : fmt::format("{} relations", lost), lost == 1 ? "is" : "are"));
  }
  if (seen(guest, "steal") > much_steal)
    add_once(reasons, fmt::format("{}: the hypervisor below this host took more than {:.0f} % of its CPUs' time",
                                  guest.machine, much_steal));
  if (seen(guest, "vcpus-waited") > much_pressure)
    add_once(reasons, fmt::format("{}: its CPUs waited for a host CPU more than {:.0f} % of the time they had work",
                                  guest.machine, much_pressure));
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
    for (const auto& guest : attempt.fidelity) {
      told = true;
      basis.exact = basis.exact && guest.mapping != "partial";
      basis.overcommitted = basis.overcommitted || guest.overcommitted;
      add_reasons(guest, basis.reasons);
      for (const auto& [name, value] : guest.controls) {
        if (!is_setting(name)) continue;
        const auto [slot, fresh] = basis.controls.try_emplace(name, value);
        if (!fresh && slot->second != value) slot->second = "varied";
      }
    }
  }
  if (told && basis.kind == BasisKind::Measured && basis.pins.empty())
    basis.reasons.emplace_back("its CPUs were not bound to host CPUs");
  if (basis.pins.size() > 1) basis.reasons.emplace_back("its boots lay on different host CPUs");
  return basis;
}

Comparison compare(const Basis& baseline, const Basis& candidate) {
  Comparison result;
  const auto say = [&](Comparison::Kind kind, const std::string& reason) {
    result.kind = std::max(result.kind, kind);
    add_once(result.reasons, reason);
  };
  using enum Comparison::Kind;
  if (baseline.kind != candidate.kind) {
    say(Refused, fmt::format("{} figures against {} ones", to_string(baseline.kind), to_string(candidate.kind)));
    return result;
  }
  if (baseline.kind == BasisKind::Functional)
    say(Restricted, "functional only: a difference is one of emulated work, not of time on hardware");
  if (baseline.kind == BasisKind::Measured && baseline.pins != candidate.pins)
    say(Refused, "their guests lay on different host CPUs");
  for (const auto& [name, value] : baseline.controls) {
    const auto other = candidate.controls.find(name);
    if (other == candidate.controls.end() || other->second != value)
      say(Restricted, fmt::format("{} of the host was {} and {}", name, value,
                                  other == candidate.controls.end() ? "not known" : other->second));
    else if (value == "varied")
      say(Restricted, fmt::format("{} of the host changed between boots", name));
  }
  for (const auto* side : {&baseline, &candidate}) {
    for (const auto& reason : side->reasons) say(Restricted, reason);
  }
  return result;
}

}  // namespace rig
