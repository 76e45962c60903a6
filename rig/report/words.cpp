// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/report/images.h"
#include "rig/report/sweep.h"

namespace rig::report {
namespace {

constexpr std::size_t few_boots = 5;  // fewer a side can hardly decide anything

}  // namespace

double largest(const Section& section) {
  double value = 0;
  for (const auto& row : section.rows) value = std::max({value, row.summary.max, row.summary.mean});
  return value;
}

// "sd 0.42 %", or "81234.5 to 93001.2" of boots in virtual time; empty for one boot.
std::string spread(const Section& section, const Row& row, int decimals, Legend& legend) {
  if (row.summary.n < 2) return "";
  if (*row.summary.stddev == 0) legend.no_spread = true;
  if (section.perturbed) {
    legend.range = true;
    return figure(row.summary.min, decimals) + " to " + figure(row.summary.max, decimals);
  }
  legend.deviation = true;
  if (row.summary.n < few_boots) legend.few = true;
  const auto cv = row.summary.cv();
  return cv ? "sd " + percent(*cv) : "sd " + fmt::format("{:.3g}", *row.summary.stddev);
}

// "5 boots", "4 of 5 boots".
std::string boots(const RunRecord& record, const Row& row, Legend& legend) {
  const auto n = row.summary.n;
  if (n == 1) legend.single = true;
  const auto planned = static_cast<std::size_t>(std::max(record.boots, 0));
  if (n < planned) return fmt::format("{} of {} boots", n, planned);
  return fmt::format("{} {}", n, n == 1 ? "boot" : "boots");
}

std::string ratio_text(const RunRecord& record, const Row& row) {
  if (!row.ratio) return "-";
  return (programs_differ(record, row.cell->job, row.cell->kernel) ? other_programs_mark : "") +
         fmt::format("{:.3f}", row.ratio->value);
}

std::string interval_text(const Section& section, const Row& row, const RunRecord& record, Legend& legend) {
  if (!row.ratio || !row.ratio->interval || row.cell->kernel == record.baseline) return "";
  (section.perturbed ? legend.range : legend.interval) = true;
  return fmt::format("[{:.3f}, {:.3f}]", row.ratio->interval->first, row.ratio->interval->second);
}

// Whether there is anything to compare: more than the baseline's own rows.
bool compares(const RunRecord& record, const Section& section) {
  return std::any_of(section.rows.begin(), section.rows.end(),
                     [&](const Row& row) { return row.cell->kernel != record.baseline; });
}

std::string boot_text(const Row& row, int repetition, int decimals) {
  const auto found = std::lower_bound(row.by_repetition.begin(), row.by_repetition.end(), repetition,
                                      [](const Figure& one, int wanted) { return one.repetition < wanted; });
  const bool given = found != row.by_repetition.end() && found->repetition == repetition;
  return given ? figure(found->value, decimals) : "-";
}

std::string difference_text(double difference, int decimals) {
  const std::string text = figure(difference, decimals);
  return text.starts_with('-') ? text : "+" + text;
}

// The same kernel's mean of the same cell with both ends on one CPU.
const Row* same_cpu_row(const Section& section, const Row& row) {
  for (const auto& other : section.rows) {
    if (other.cell->kernel == row.cell->kernel && other.cell->placement == "same-cpu" &&
        other.cell->parameters == row.cell->parameters && other.summary.n > 0)
      return &other;
  }
  return nullptr;
}

std::vector<std::string> kernels_in(const RunRecord& record, const Section& section) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    const bool used =
        std::any_of(section.rows.begin(), section.rows.end(), [&](const Row& row) { return row.cell->kernel == name; });
    if (used && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& kernel : record.kernels) add(kernel.name);
  for (const auto& row : section.rows) add(row.cell->kernel);
  return names;
}

std::string section_name(const Section& section) {
  return fmt::format("{} on {}{}", printable(section.job), printable(section.topology),
                     section.points.empty() ? "" : ", by " + swept_paths(section));
}

std::string metric_words(const Section& section) {
  if (section.metric.metric.empty()) return "";
  std::string text = fmt::format("{}, {}, {} is better", printable(section.metric.metric),
                                 printable(section.metric.unit), section.metric.higher_is_better ? "more" : "less");
  if (!section.constants.empty()) text += " (" + section.constants + ")";
  return text;
}

std::string instead_words(const Section& section) {
  if (section.instead_of.empty()) return "";
  const bool somewhere = std::any_of(section.others.begin(), section.others.end(),
                                     [&](const MetricRecord& metric) { return metric.metric == section.instead_of; });
  return fmt::format("{} cell has {} (see the notes): {} is compared instead.", somewhere ? "Not every" : "No",
                     printable(section.instead_of), printable(section.metric.metric));
}

std::string boots_planned(const RunRecord& record) {
  const auto repeat = record.environment.find("repeat");
  const auto rounds = record.environment.find("rounds");
  const std::string each = rounds == record.environment.end() ? "" : " (" + printable(rounds->second) + ")";
  if (repeat != record.environment.end()) return "boots " + printable(repeat->second) + each;
  return (record.boots == 1 ? "1 boot" : fmt::format("{} boots", record.boots)) + each;
}

std::vector<std::string> legend_lines(const Legend& legend) {
  std::vector<std::string> lines;
  if (legend.single) lines.emplace_back("1 boot: no spread, and no interval.");
  if (legend.deviation) lines.emplace_back("sd: standard deviation between boots, in % of the mean.");
  if (legend.range)
    lines.emplace_back(
        "low to high: over boots in virtual time, each after the first perturbed on purpose (a word of the command "
        "line, pages taken, a start offset); [low, high]: the lowest and the highest ratio of any two. They are "
        "accidents of one machine, no sample of machines: a range, and no interval. How well a machine's numbers are "
        "known is not in it; a sweep over their ranges (sweep: {timing.…: range}) tells that.");
  if (legend.no_spread)
    lines.emplace_back(
        "No spread: every boot gave the same figure. That is determinism, not precision, and gives no interval.");
  if (legend.interval)
    lines.emplace_back("[low, high]: 95 % interval of the ratio of means (Fieller, Welch's degrees of freedom).");
  if (legend.few) lines.emplace_back("Fewer than 5 boots a side can hardly decide anything.");
  return lines;
}

}  // namespace rig::report
