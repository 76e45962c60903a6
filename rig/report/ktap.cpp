// SPDX-License-Identifier: GPL-2.0-or-later
// KTAP, version 1 (the kernel's Documentation/dev-tools/ktap.rst): a test for each job on a machine, a subtest for
// each cell. Diagnostic lines stand before the result they belong to.
#include <fmt/format.h>

#include <algorithm>

#include "rig/report/cell_state.h"
#include "rig/report/formats.h"
#include "rig/report/text.h"
#include "rig/report/words.h"

namespace rig::report {
namespace {

// A description must not have the sign that begins a directive.
std::string description(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '#' ? std::string("\\x23") : std::string(1, c);
  return out;
}

const char* directive(const CellState& state) {
  if (state.end == CellEnd::Skipped) return "SKIP ";
  if (state.end == CellEnd::Broken) return "ERROR ";
  return state.timed_out ? "TIMEOUT " : "";
}

}  // namespace

void write_ktap(const RunRecord& record, const Material& material, const Sink& sink) {
  const Lookup lookup(record);
  const auto sections = sections_of(lookup);
  const auto states = states_of(lookup, material);
  const bool check = material.verdicts && material.verdicts->check.asked;
  sink(fmt::format("KTAP version 1\n1..{}\n# {}: rig {}, {}, plan {}, {}\n", sections.size() + (check ? 1 : 0),
                   printable(record.name), printable(record.rig_version), printable(record.started),
                   printable(record.plan_hash), printable(record.accelerator)));
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const Section& section = sections[s];
    bool all_ok = true, all_skipped = true;
    std::string out = fmt::format("  KTAP version 1\n  1..{}\n", section.rows.size());
    for (std::size_t i = 0; i < section.rows.size(); ++i) {
      const Row& row = section.rows[i];
      const CellState& state = states[static_cast<std::size_t>(row.cell - record.cells.data())];
      const bool good = state.end == CellEnd::Ok || state.end == CellEnd::Skipped;
      all_ok = all_ok && good;
      all_skipped = all_skipped && state.end == CellEnd::Skipped;
      const std::string words = figure_words(record, section, row);
      if (!words.empty()) out += "  # " + words + "\n";
      for (const auto& line : verdict_lines(material, row.cell->id)) out += "  # " + line + "\n";
      for (const auto& line : state.details) out += "  # " + line + "\n";
      out += fmt::format("  {} {} {}", good ? "ok" : "not ok", i + 1, description(name_of(*row.cell)));
      if (state.end != CellEnd::Ok) out += fmt::format(" # {}{}", directive(state), state.message);
      out += '\n';
    }
    out += fmt::format("{} {} {}{}\n", all_ok ? "ok" : "not ok", s + 1, description(section_name(section)),
                       all_skipped ? " # SKIP" : "");
    sink(out);
  }
  if (!check) return;
  for (const auto& reason : material.verdicts->check.reasons) sink("# " + printable(reason) + "\n");
  sink(fmt::format("{} {} check\n", material.verdicts->check.holds() ? "ok" : "not ok", sections.size() + 1));
}

}  // namespace rig::report
