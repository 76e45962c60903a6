// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/report/images.h"
#include "rig/report/sweep.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

constexpr std::size_t widest_label = 32;
constexpr std::size_t most_boot_columns = 6;
constexpr std::size_t most_instances = 8;  // listed one by one; of more, the extremes
constexpr std::size_t few_boots = 5;       // fewer a side can hardly decide anything

double largest(const Section& section) {
  double value = 0;
  for (const auto& row : section.rows) value = std::max({value, row.summary.max, row.summary.mean});
  return value;
}

std::string figure(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

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

}  // namespace

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

namespace {

// The clients of a cell's only boot, above their sum.
void add_instances(Table& table, const Row& row, const std::string& unit, int decimals) {
  const auto& all = row.instances;
  if (all.size() <= most_instances) {
    for (std::size_t i = 0; i < all.size(); ++i)
      table.row({"", figure(all[i], decimals), unit, fmt::format("client {}", i + 1)});
    return;
  }
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  table.row({"lowest", figure(*low, decimals), unit, fmt::format("client {}", low - all.begin() + 1)});
  table.row({"highest", figure(*high, decimals), unit, fmt::format("client {}", high - all.begin() + 1)});
}

// The layout of the 2014 post: a block a kernel, a line a number of clients, the ratio at its end.
Table kernel_blocks(const RunRecord& record, const Section& section, Legend& legend) {
  Table table(
      {Align::Left, Align::Right, Align::Left, Align::Right, Align::Left, Align::Left, Align::Right, Align::Left});
  const int decimals = decimals_for(largest(section));
  const std::string unit = printable(section.metric.unit);
  const bool comparing = compares(record, section);
  for (const auto& kernel : kernels_in(record, section)) {
    const bool is_baseline = kernel == record.baseline;
    table.heading(printable(kernel), 6, comparing && !is_baseline ? "vs " + printable(record.baseline) : "");
    for (const auto& row : section.rows) {
      if (row.cell->kernel != kernel) continue;
      if (!row.trouble.empty()) {
        table.row({printable(section.metric.metric), "-", unit, row.label}, "no result: " + row.trouble);
        continue;
      }
      add_instances(table, row, unit, decimals);
      table.row({row.instances.empty() ? printable(section.metric.metric) : "sum", figure(row.summary.mean, decimals),
                 unit, row.label, spread(section, row, decimals, legend), boots(record, row, legend),
                 comparing ? ratio_text(record, row) : "",
                 comparing ? interval_text(section, row, record, legend) : ""});
    }
  }
  return table;
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

// The layout of the 2009 post: a block a placement, a line a kernel, a column a test and their average.
Table placement_blocks(const RunRecord& record, const Section& section, Legend& legend) {
  std::set<int> repetitions;
  for (const auto& row : section.rows) {
    for (const auto& [repetition, value] : row.by_repetition) repetitions.insert(repetition);
  }
  if (repetitions.size() < 2 || repetitions.size() > most_boot_columns) repetitions.clear();
  std::vector<Align> alignment(5 + repetitions.size(), Align::Right);
  alignment.front() = alignment.back() = Align::Left;
  Table table(alignment);
  const bool comparing = compares(record, section);
  const bool stepping = std::any_of(section.rows.begin(), section.rows.end(), [&](const Row& row) {
    return row.cell->placement != "same-cpu" && same_cpu_row(section, row) != nullptr;
  });
  std::vector<std::string> head = {"Kernel"};
  for (const int repetition : repetitions) head.push_back(fmt::format("Boot {}", repetition + 1));
  head.insert(head.end(), {repetitions.empty() ? "Mean" : "Average", section.perturbed ? "range" : "sd",
                           stepping ? "to same CPU" : "", comparing ? "vs " + printable(record.baseline) : ""});
  table.row(head);
  const int decimals = decimals_for(largest(section));
  std::vector<std::string> placements;
  for (const auto& row : section.rows) {
    if (std::find(placements.begin(), placements.end(), row.cell->placement) == placements.end())
      placements.push_back(row.cell->placement);
  }
  for (const auto& placement : placements) {
    table.heading(placement_label(placement));
    for (const auto& kernel : kernels_in(record, section)) {
      for (const auto& row : section.rows) {
        if (row.cell->kernel != kernel || row.cell->placement != placement) continue;
        std::vector<std::string> cells = {printable(kernel) + (row.label.empty() ? "" : "  " + row.label)};
        for (const int repetition : repetitions) {
          const auto found = row.by_repetition.find(repetition);
          cells.push_back(found == row.by_repetition.end() ? "-" : figure(found->second, decimals));
        }
        if (!row.trouble.empty()) {
          cells.emplace_back("-");
          table.row(std::move(cells), "no result: " + row.trouble);
          continue;
        }
        if (row.summary.n == 1) legend.single = true;
        const std::string deviation = spread(section, row, decimals, legend);
        const Row* base = same_cpu_row(section, row);
        cells.push_back(figure(row.summary.mean, decimals));
        cells.push_back(deviation.empty()   ? "-"
                        : section.perturbed ? deviation
                                            : deviation.substr(3));  // "sd " stands in the head
        cells.push_back(base == nullptr || base == &row
                            ? ""
                            : fmt::format("{:+.{}f}", row.summary.mean - base->summary.mean, decimals));
        const std::string interval = interval_text(section, row, record, legend);
        cells.push_back(!comparing ? "" : ratio_text(record, row) + (interval.empty() ? "" : "  " + interval));
        table.row(std::move(cells));
      }
    }
  }
  return table;
}

// Means of the metrics that are not the section's own.
std::string other_figures(const RunRecord& record, const Section& section) {
  if (section.others.empty()) return "";
  std::vector<Align> alignment(1 + section.others.size(), Align::Right);
  alignment.front() = Align::Left;
  Table table(alignment);
  std::vector<std::string> head = {"also, means:"};
  for (const auto& metric : section.others) head.push_back(printable(metric.metric) + " " + printable(metric.unit));
  table.row(head);
  std::vector<double> most(section.others.size(), 0);
  for (std::size_t i = 0; i < most.size(); ++i) {
    for (const auto& row : section.rows)
      most[i] = std::max(most[i], summarize(values_of(record, row.cell->id, section.others[i].metric)).mean);
  }
  for (const auto& kernel : kernels_in(record, section)) {
    for (const auto& row : section.rows) {
      if (row.cell->kernel != kernel || !row.trouble.empty()) continue;
      std::string label = printable(kernel);
      if (!row.label.empty()) label += "  " + row.label;
      if (section.placements) label += "  " + placement_label(row.cell->placement);
      std::vector<std::string> cells = {label};
      for (std::size_t i = 0; i < most.size(); ++i) {
        const auto summary = summarize(values_of(record, row.cell->id, section.others[i].metric));
        cells.push_back(summary.n == 0 ? "-" : figure(summary.mean, decimals_for(most[i])));
      }
      table.row(std::move(cells));
    }
  }
  return "\n" + table.render(2, 2 * widest_label);
}

}  // namespace

std::string section_text(const RunRecord& record, const Section& section, std::size_t width, Legend& legend) {
  std::string title = fmt::format("{} on {}{}", printable(section.job), printable(section.topology),
                                  section.points.empty() ? "" : ", by " + swept_paths(section));
  if (section.metric.metric.empty()) return title + ": the record names no metric of this job\n";
  title += fmt::format(": {}, {}, {} is better", printable(section.metric.metric), printable(section.metric.unit),
                       section.metric.higher_is_better ? "more" : "less");
  if (!section.constants.empty()) title += " (" + section.constants + ")";
  std::string out = wrap(title, width, 2) + "\n";
  if (!section.instead_of.empty()) {
    const bool somewhere = std::any_of(section.others.begin(), section.others.end(),
                                       [&](const MetricRecord& metric) { return metric.metric == section.instead_of; });
    out += wrap(fmt::format("{} cell has {} (see the notes): {} is compared instead.", somewhere ? "Not every" : "No",
                            printable(section.instead_of), printable(section.metric.metric)),
                width, 0) +
           "\n";
  }
  out += "\n";
  if (!section.points.empty()) return out + sweep_text(record, section, width, legend);
  const Table table =
      section.placements ? placement_blocks(record, section, legend) : kernel_blocks(record, section, legend);
  out += table.render(2, widest_label);
  return out + other_figures(record, section);
}

}  // namespace rig::report
