// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/report/sweep.h"
#include "rig/report/text.h"
#include "rig/report/words.h"

namespace rig::report {
namespace {

constexpr std::size_t widest_label = 32;
constexpr std::size_t most_boot_columns = 6;
constexpr std::size_t most_instances = 8;  // listed one by one; of more, the extremes

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

// The layout of the 2009 post: a block a placement, a line a kernel, a column a test and their average.
Table placement_blocks(const RunRecord& record, const Section& section, Legend& legend) {
  std::set<int> repetitions;
  for (const auto& row : section.rows) {
    for (const auto& one : row.by_repetition) repetitions.insert(one.repetition);
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
          cells.push_back(boot_text(row, repetition, decimals));
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
        cells.push_back(
            base == nullptr || base == &row ? "" : difference_text(row.summary.mean - base->summary.mean, decimals));
        const std::string interval = interval_text(section, row, record, legend);
        cells.push_back(!comparing ? "" : ratio_text(record, row) + (interval.empty() ? "" : "  " + interval));
        table.row(std::move(cells));
      }
    }
  }
  return table;
}

}  // namespace

std::string section_text(const Lookup& lookup, const Section& section, std::size_t width, Legend& legend) {
  const RunRecord& record = lookup.record();
  if (section.metric.metric.empty()) return section_name(section) + ": the record names no metric of this job\n";
  std::string out = wrap(section_name(section) + ": " + metric_words(section), width, 2) + "\n";
  if (const std::string words = instead_words(section); !words.empty()) out += wrap(words, width, 0) + "\n";
  out += "\n";
  if (!section.points.empty()) return out + sweep_text(record, section, width, legend);
  const Table table =
      section.placements ? placement_blocks(record, section, legend) : kernel_blocks(record, section, legend);
  out += table.render(2, widest_label);
  Grid others = others_grid(lookup, section);
  if (others.rows.empty()) return out;
  others.head.front() = "also, means:";
  return out + "\n" + grid_text(others, 2, 2 * widest_label);
}

}  // namespace rig::report
