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

std::vector<double> values(const RunRecord& record, const std::string& cell, const std::string& metric, int instance) {
  std::vector<double> found;
  for (const auto& attempt : record.attempts) {
    if (attempt.cell != cell || attempt.outcome != Outcome::Ok) continue;
    for (const auto& sample : attempt.samples) {
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

std::string wire_text(const RunRecord& record, const Section& section, std::size_t width) {
  Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right});
  table.row({"", "interrupts", "peer's", "receiving", "peer's", "lost"});
  bool any = false;
  for (const auto& row : section.rows) {
    const std::string& cell = row.cell->id;
    const auto lost = values(record, cell, "wire.lost", 0);
    if (lost.empty()) continue;
    any = true;
    std::string label = printable(row.cell->kernel);
    if (!row.label.empty()) label += "  " + row.label;
    if (section.placements) label += "  " + placement_label(row.cell->placement);
    double sum = 0;
    for (const double one : lost) sum += one;
    table.row({label, least(values(record, cell, "wire.interrupts", 1)),
               least(values(record, cell, "wire.interrupts", 2)), least(values(record, cell, "wire.received", 1)),
               least(values(record, cell, "wire.received", 2)), fmt::format("{:.0f}", sum)});
  }
  if (!any) return "";
  return "\n  " +
         wrap(
             "On the wire: % of the card's interrupts and of the work of receiving that was on the CPU asked for, the "
             "least of all boots, and the round trips that were lost",
             width - 2, 4) +
         "\n" + table.render(4, widest_label);
}

}  // namespace rig::report
