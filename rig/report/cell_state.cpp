// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/cell_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "rig/report/text.h"
#include "rig/report/words.h"

namespace rig::report {

std::vector<std::string> console_lines(const std::string& console) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < console.size();) {
    const auto end = std::min(console.find('\n', at), console.size());
    std::string_view line = std::string_view(console).substr(at, end - at);
    while (line.ends_with('\r')) line.remove_suffix(1);  // serial lines end with both
    lines.push_back(printable(line));
    at = end + 1;
  }
  return lines;
}

CellState state_of(const Lookup& lookup, const CellRecord& cell, const std::vector<const Trouble*>& troubles,
                   const Material& material) {
  CellState state;
  std::map<Outcome, std::set<int>> ended;
  for (const auto* attempt : last_attempts(lookup, cell.id)) {
    if (attempt->outcome != Outcome::Ok) ended[attempt->outcome].insert(attempt->repetition);
  }
  const auto missing = never_run(lookup, cell);
  const auto say = [&](const std::set<int>& boots, const std::string& what) {
    state.message += (state.message.empty() ? "" : "; ") + boots_text(boots) + ": " + what;
  };
  bool failed = false;
  state.timed_out = !ended.empty() && missing.empty();
  for (const auto& [outcome, boots] : ended) {
    say(boots, to_string(outcome));
    const bool of_the_host = outcome == Outcome::Infrastructure || outcome == Outcome::Interrupted;
    failed = failed || (!of_the_host && outcome != Outcome::Skipped);
    state.timed_out = state.timed_out && outcome == Outcome::Timeout;
  }
  if (!missing.empty()) say(missing, "not run");
  const bool only_skipped = !ended.empty() && ended.size() == ended.count(Outcome::Skipped) && missing.empty();
  if (!state.message.empty()) state.end = only_skipped ? CellEnd::Skipped : failed ? CellEnd::Failed : CellEnd::Broken;
  for (const Trouble* trouble : troubles) {
    state.details.push_back(boots_text(trouble->repetitions) + ": " + to_string(trouble->first->outcome) +
                            (trouble->mended        ? " (tried again: ok)"
                             : trouble->tried_again ? " (tried again)"
                                                    : ""));
    for (auto& line : reason_lines(trouble->first->reason)) state.details.push_back("  " + line);
    const auto directory = attempt_directory(*trouble->first);
    if (!directory || trouble->first->outcome == Outcome::Skipped) continue;
    state.details.push_back("  files: " + *directory);
    const auto console = material.consoles.find(*directory);
    if (console == material.consoles.end() || console->second.empty()) continue;
    state.details.emplace_back("  the end of its console:");
    for (auto& line : console_lines(console->second)) state.details.push_back("    " + line);
  }
  return state;
}

std::vector<CellState> states_of(const Lookup& lookup, const Material& material) {
  const auto troubles = troubles_of(lookup);
  std::unordered_map<std::string, std::vector<const Trouble*>> by_cell;
  for (const auto& trouble : troubles) by_cell[trouble.first->cell].push_back(&trouble);
  std::vector<CellState> states;
  for (const auto& cell : lookup.record().cells) states.push_back(state_of(lookup, cell, by_cell[cell.id], material));
  return states;
}

std::string figure_words(const RunRecord& record, const Section& section, const Row& row) {
  if (row.summary.n == 0) return "";
  Legend unused;
  const int decimals = decimals_for(row.summary.max);
  std::string text = fmt::format("{} {} {}", printable(section.metric.metric), figure(row.summary.mean, decimals),
                                 printable(section.metric.unit));
  if (row.summary.n > 1) text += ", mean of " + boots(record, row, unused);
  if (const std::string range = spread(section, row, decimals, unused); !range.empty()) text += ", " + range;
  if (row.ratio && row.cell->kernel != record.baseline) {
    text += ", " + ratio_text(record, row) + " of " + printable(record.baseline);
    const std::string interval = interval_text(section, row, record, unused);
    if (!interval.empty()) text += " " + interval;
  }
  return text;
}

}  // namespace rig::report
