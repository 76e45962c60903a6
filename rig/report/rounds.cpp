// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rig/stats/levels.h"

namespace rig::report {
namespace {

std::string share(double variance, double mean) { return percent(std::sqrt(variance) / mean); }

std::string first_words(const std::vector<std::vector<double>>& boots) {
  const FirstRounds first = first_rounds(boots);
  if (!first.likely()) return "like the others";
  const bool low = first.lowest > first.highest;
  return fmt::format("the {} in {} of {} boots (p {:.2g})", low ? "lowest" : "highest",
                     std::max(first.lowest, first.highest), first.boots, first.p);
}

// Host seconds of a boot without its rounds, and of a round; 0 where the record does not tell.
std::pair<double, double> costs_of(const Lookup& lookup, const std::string& cell, std::size_t rounds) {
  std::vector<double> around, job;
  for (const auto* attempt : lookup.attempts(cell)) {
    if (attempt->outcome != Outcome::Ok) continue;
    double others = 0;
    for (const auto& [stage, ms] : attempt->stages_ms)
      (stage == "job" ? job.emplace_back() : others) += static_cast<double>(ms);
    around.push_back(others);
  }
  return {summarize(around).median, summarize(job).median / static_cast<double>(rounds)};
}

}  // namespace

std::vector<std::vector<double>> rounds_of(const Lookup& lookup, const std::string& cell, const std::string& metric) {
  const std::string name = "round." + metric;
  std::map<int, std::vector<double>> boots;
  for (const auto* attempt : lookup.attempts(cell)) {
    if (attempt->outcome != Outcome::Ok || boots.contains(attempt->repetition)) continue;
    for (const auto& sample : attempt->samples) {
      if (sample.metric == name && std::isfinite(sample.value)) boots[attempt->repetition].push_back(sample.value);
    }
  }
  std::vector<std::vector<double>> out;
  for (auto& [repetition, rounds] : boots) out.push_back(std::move(rounds));
  return out;
}

Grid rounds_grid(const Lookup& lookup, const Section& section) {
  Grid grid;
  grid.caption = "Rounds inside a boot: " + printable(section.metric.metric);
  grid.head = {
      "kernel", "cell", "boots", "rounds", "boots differ by", "rounds of one by", "best", "the first round is"};
  grid.align = {Align::Left,  Align::Left,  Align::Right, Align::Right,
                Align::Right, Align::Right, Align::Right, Align::Left};
  grid.headers = 2;
  for (const auto& row : section.rows) {
    const auto boots = rounds_of(lookup, row.cell->id, section.metric.metric);
    std::size_t rounds = 0;
    for (const auto& one : boots) rounds = std::max(rounds, one.size());
    if (rounds < 2) continue;
    std::string label = row.label;
    if (section.placements) label += (label.empty() ? "" : ", ") + placement_label(row.cell->placement);
    if (!section.points.empty()) label += (label.empty() ? "" : ", ") + printable(row.cell->topology);
    std::vector<std::string> cells = {
        printable(row.cell->kernel), label, std::to_string(boots.size()), std::to_string(rounds), "-", "-", "-",
        first_words(boots)};
    if (const auto levels = levels_of(boots); levels && levels->mean > 0) {
      cells[4] = share(levels->between, levels->mean);
      cells[5] = share(levels->within, levels->mean);
      const auto [boot, round] = costs_of(lookup, row.cell->id, rounds);
      if (boot > 0 && round > 0) {
        const int best = best_rounds(*levels, boot, round);
        cells[6] = best >= 1000 ? "many" : std::to_string(best);  // boots do not differ, as far as is seen
      }
    }
    grid.rows.push_back({std::move(cells)});
  }
  return grid;
}

std::vector<std::string> rounds_words(const Grid& grid) {
  if (grid.rows.empty()) return {};
  return {
      "Boots are the unit: a boot's figure is the mean of its rounds (the most of a maximum, the least of a minimum), "
      "and "
      "no verdict counts rounds. Standard deviations of the two levels apart; best: how many rounds a boot make the "
      "most "
      "of the host's time, by what a boot and a round took."};
}

std::string rounds_text(const Lookup& lookup, const Section& section, std::size_t width) {
  const Grid grid = rounds_grid(lookup, section);
  if (grid.rows.empty()) return "";
  std::string out = "\n  " + grid.caption + "\n" + grid_text(grid, 4, 40);
  for (const auto& line : rounds_words(grid)) out += "  " + wrap(line, width - 2, 4) + "\n";
  return out;
}

}  // namespace rig::report
