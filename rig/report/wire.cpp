// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rig/report/text.h"

namespace rig::report {
namespace {

constexpr std::string_view card_key = "wire.";
constexpr std::size_t widest_label = 60;

std::vector<double> values(const Lookup& lookup, const std::string& cell, const std::string& metric, int instance) {
  std::vector<double> found;
  for (const auto* attempt : lookup.attempts(cell)) {
    if (attempt->outcome != Outcome::Ok) continue;
    for (const auto& sample : attempt->samples) {
      if (sample.metric == metric && sample.instance == instance) found.push_back(sample.value);
    }
  }
  return found;
}

// Two decimals, and never rounded up to a whole that it is not.
std::string least(const std::vector<double>& shares) {
  if (shares.empty()) return "-";
  return fmt::format("{:.2f}", std::floor(*std::min_element(shares.begin(), shares.end()) * 100) / 100);
}

}  // namespace

bool is_peer_only(const RunRecord& record, const std::string& kernel) {
  return record.environment.contains(std::string(card_key) + kernel) &&
         std::none_of(record.cells.begin(), record.cells.end(),
                      [&](const CellRecord& cell) { return cell.kernel == kernel; });
}

std::string cards_text(const RunRecord& record, std::size_t width) {
  std::string text;
  for (const auto& [key, value] : record.environment) {
    if (!key.starts_with(card_key)) continue;
    text += (text.empty() ? "" : "; ") + printable(key.substr(card_key.size())) + ": " + printable(value);
  }
  return text.empty() ? "" : "Cards on the wire\n  " + wrap(text, width - 2, 4) + "\n";
}

Grid wire_grid(const Lookup& lookup, const Section& section) {
  Grid grid;
  grid.caption =
      "On the wire: % of the card's interrupts and of the work of receiving that was on the CPU asked for, the least "
      "of "
      "all boots, and the round trips that were lost";
  grid.head = {"", "interrupts", "peer's", "receiving", "peer's", "lost"};
  grid.align.assign(grid.head.size(), Align::Right);
  grid.align.front() = Align::Left;
  for (const auto& row : section.rows) {
    const std::string& cell = row.cell->id;
    const auto lost = values(lookup, cell, "wire.lost", 0);
    if (lost.empty()) continue;
    std::string label = printable(row.cell->kernel);
    if (!row.label.empty()) label += "  " + row.label;
    if (section.placements) label += "  " + placement_label(row.cell->placement);
    double sum = 0;
    for (const double one : lost) sum += one;
    grid.rows.push_back(
        {{label, least(values(lookup, cell, "wire.interrupts", 1)), least(values(lookup, cell, "wire.interrupts", 2)),
          least(values(lookup, cell, "wire.received", 1)), least(values(lookup, cell, "wire.received", 2)),
          fmt::format("{:.0f}", sum)}});
  }
  return grid;
}

std::string wire_text(const Lookup& lookup, const Section& section, std::size_t width) {
  const Grid grid = wire_grid(lookup, section);
  if (grid.rows.empty()) return "";
  return "\n  " + wrap(grid.caption, width - 2, 4) + "\n" + grid_text(grid, 4, widest_label);
}

}  // namespace rig::report
