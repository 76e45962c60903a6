// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/mapping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "rig/report/text.h"
#include "rig/stats/basis.h"

namespace rig::report {
namespace {

// One way that a machine lay on the host, with the worst that any of its boots met.
struct Lain {
  const FidelityRecord* guest = nullptr;
  std::map<std::string, double> worst;
  std::size_t boots = 0;
};

bool same_place(const FidelityRecord& a, const FidelityRecord& b) {
  return a.machine == b.machine && a.pins == b.pins && a.emulator == b.emulator && a.mapping == b.mapping &&
         a.overcommitted == b.overcommitted && a.lost == b.lost && a.notes == b.notes;
}

std::vector<Lain> lain_in(const RunRecord& record) {
  std::vector<Lain> found;
  for (const auto& attempt : record.attempts) {
    for (const auto& guest : attempt.fidelity) {
      if (guest.pins.empty()) continue;
      auto same =
          std::find_if(found.begin(), found.end(), [&](const Lain& lain) { return same_place(*lain.guest, guest); });
      if (same == found.end()) same = found.insert(found.end(), {.guest = &guest});
      ++same->boots;
      for (const auto& [name, value] : guest.seen) {
        const auto [slot, fresh] = same->worst.try_emplace(name, value);
        if (!fresh) slot->second = std::max(slot->second, value);
      }
    }
  }
  return found;
}

std::string place_text(const FidelityRecord& guest) {
  const std::size_t cpus = guest.pins.size();
  return fmt::format("{}: {}{}; guest {} on host {} {}, QEMU's other threads on {}", printable(guest.machine),
                     printable(guest.mapping), guest.overcommitted ? ", overcommitted" : "",
                     cpus == 1 ? "CPU 0" : fmt::format("CPUs 0-{}", cpus - 1), cpus == 1 ? "CPU" : "CPUs",
                     printable(fmt::format("{}", fmt::join(guest.pins, ", "))), printable(guest.emulator));
}

// "steal 0.2 %, guest CPUs waited 3.1 %, …": of what the host tells.
std::string met_text(const std::map<std::string, double>& worst) {
  const std::pair<const char*, const char*> shares[] = {{"steal", "steal"},
                                                        {"vcpus-waited", "guest CPUs waited for theirs"},
                                                        {"cpu-pressure", "CPU pressure"},
                                                        {"memory-pressure", "memory pressure"},
                                                        {"io-pressure", "I/O pressure"}};
  std::string text;
  for (const auto& [name, words] : shares) {
    const auto found = worst.find(name);
    if (found != worst.end()) text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", words, found->second);
  }
  const auto moves = worst.find("migrations");
  if (moves != worst.end()) text += fmt::format("{}{:.0f} migrations", text.empty() ? "" : ", ", moves->second);
  return text;
}

// The host's settings that it tells, as they were before the last boot.
std::string controls_text(const FidelityRecord& guest) {
  std::string text;
  for (const auto& [name, value] : guest.controls) {
    if (value == "absent" || value == "none") continue;
    text += (text.empty() ? "" : ", ") + printable(name) + " " + printable(value);
  }
  return text;
}

void add_line(std::string& out, std::size_t indent, const std::string& text, std::size_t width) {
  out += std::string(indent, ' ') + wrap(text, width - indent, indent + 2) + "\n";
}

bool has_figures(const Lookup& lookup, const CellRecord& cell) {
  const auto& attempts = lookup.attempts(cell.id);
  return std::any_of(attempts.begin(), attempts.end(),
                     [](const AttemptRecord* attempt) { return attempt->outcome == Outcome::Ok; });
}

}  // namespace

std::string mapping_text(const RunRecord& record, std::size_t width) {
  std::string out;
  for (const auto& lain : lain_in(record)) {
    add_line(out, 2, place_text(*lain.guest), width);
    const std::string met = met_text(lain.worst);
    if (!met.empty()) add_line(out, 4, (lain.boots == 1 ? "while it ran: " : "while it ran, at most: ") + met, width);
  }
  return out.empty() ? "" : "Mapping onto host CPUs\n" + out;
}

std::string mapping_notes_text(const RunRecord& record, std::size_t width) {
  std::string out, controls;
  for (const auto& lain : lain_in(record)) {
    const FidelityRecord& guest = *lain.guest;
    if (!guest.lost.empty() || !guest.notes.empty()) add_line(out, 2, place_text(guest), width);
    for (const auto& lost : guest.lost) add_line(out, 4, "lost: " + printable(lost), width);
    for (const auto& note : guest.notes) add_line(out, 4, printable(note), width);
    controls = controls_text(guest);
  }
  if (!controls.empty()) add_line(out, 2, "the host before a boot: " + controls, width);
  return out.empty() ? "" : "\nMapping in detail\n" + out;
}

std::vector<std::string> limits_of(const Lookup& lookup) {
  const RunRecord& record = lookup.record();
  std::vector<std::pair<std::string, bool>> reasons;  // and whether it forbids
  for (const auto& cell : record.cells) {
    const CellRecord* baseline = lookup.baseline_of(cell);
    if (baseline == nullptr || baseline == &cell) continue;
    if (!has_figures(lookup, cell) || !has_figures(lookup, *baseline)) continue;
    const Basis of_cell = basis_of(record.accelerator, lookup.attempts(cell.id));
    const Comparison comparison = compare(basis_of(record.accelerator, lookup.attempts(baseline->id)), of_cell);
    for (const auto& reason : comparison.reasons) {
      if (of_cell.kind == BasisKind::Functional && reason.starts_with("functional only")) continue;  // in the heading
      const bool forbids = comparison.kind == Comparison::Kind::Refused;
      const auto same =
          std::find_if(reasons.begin(), reasons.end(), [&](const auto& one) { return one.first == reason; });
      if (same == reasons.end())
        reasons.emplace_back(reason, forbids);
      else
        same->second = same->second || forbids;
    }
  }
  std::vector<std::string> out;
  for (const auto& [reason, forbids] : reasons)
    out.push_back((forbids ? "not to be compared: " : "") + printable(reason));
  return out;
}

std::string limits_text(const Lookup& lookup, std::size_t width) {
  std::string out;
  for (const auto& reason : limits_of(lookup)) out += "  " + wrap(reason, width - 2, 4) + "\n";
  return out.empty() ? "" : "\nWhat limits these comparisons\n" + out;
}

}  // namespace rig::report
