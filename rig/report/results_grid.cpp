// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/report/tables.h"

namespace rig::report {
namespace {

constexpr std::size_t most_boot_columns = 6;
constexpr std::size_t most_instances = 8;  // listed one by one

// The boots that have a column each, as the tests of the 2009 post; none where they are too many, or one.
std::set<int> boot_columns(const Section& section) {
  std::set<int> repetitions;
  for (const auto& row : section.rows) {
    for (const auto& one : row.by_repetition) {
      repetitions.insert(one.repetition);
      if (repetitions.size() > most_boot_columns) return {};
    }
  }
  if (repetitions.size() < 2 || !section.placements) repetitions.clear();
  return repetitions;
}

// Kernels within placements, as the posts have them.
std::vector<const Row*> in_order(const RunRecord& record, const Section& section) {
  std::vector<std::string> placements;
  for (const auto& row : section.rows) {
    if (std::find(placements.begin(), placements.end(), row.cell->placement) == placements.end())
      placements.push_back(row.cell->placement);
  }
  std::vector<const Row*> rows;
  for (const auto& placement : placements) {
    for (const auto& kernel : kernels_in(record, section)) {
      for (const auto& row : section.rows) {
        if (row.cell->kernel == kernel && row.cell->placement == placement) rows.push_back(&row);
      }
    }
  }
  return rows;
}

}  // namespace

Grid results_grid(const RunRecord& record, const Section& section, Legend& legend) {
  const auto repetitions = boot_columns(section);
  const bool comparing = compares(record, section);
  const int decimals = decimals_for(largest(section));
  Grid grid;
  grid.headers = 3;
  grid.head = {"placement", "kernel", "cell"};
  for (const int repetition : repetitions) grid.head.push_back(fmt::format("boot {}", repetition + 1));
  grid.head.insert(grid.head.end(), {"mean, " + printable(section.metric.unit), section.perturbed ? "range" : "spread",
                                     "boots", "to same CPU", comparing ? "vs " + printable(record.baseline) : "ratio",
                                     section.perturbed ? "lowest, highest" : "95 % interval"});
  grid.align.assign(grid.head.size(), Align::Right);
  std::fill_n(grid.align.begin(), grid.headers, Align::Left);
  for (const Row* row : in_order(record, section)) {
    const std::string placement = section.placements ? placement_label(row->cell->placement) : "";
    const std::string kernel = printable(row->cell->kernel);
    const auto named = [&](const std::string& label) {
      GridRow out;
      out.cells.assign(grid.head.size(), "");
      out.cells[0] = placement;
      out.cells[1] = kernel;
      out.cells[2] = label;
      return out;
    };
    const std::size_t mean = 3 + repetitions.size();
    if (row->instances.size() <= most_instances) {
      for (std::size_t i = 0; i < row->instances.size(); ++i) {
        GridRow client = named(fmt::format("{}{}client {}", row->label, row->label.empty() ? "" : ", ", i + 1));
        client.cells[mean] = figure(row->instances[i], decimals);
        grid.rows.push_back(std::move(client));
      }
    }
    GridRow out = named(row->label + (row->instances.empty() ? "" : row->label.empty() ? "sum" : ", sum"));
    std::size_t at = 3;
    for (const int repetition : repetitions) out.cells[at++] = boot_text(*row, repetition, decimals);
    if (!row->trouble.empty()) {
      out.cells[mean] = "no result: " + row->trouble;
      out.mark = row->trouble == "skipped" ? Mark::Unsure : Mark::Bad;
      grid.rows.push_back(std::move(out));
      continue;
    }
    const Row* base = same_cpu_row(section, *row);
    out.cells[mean] = figure(row->summary.mean, decimals);
    out.cells[mean + 1] = spread(section, *row, decimals, legend);
    out.cells[mean + 2] = boots(record, *row, legend);
    if (base != nullptr && base != row)
      out.cells[mean + 3] = difference_text(row->summary.mean - base->summary.mean, decimals);
    if (comparing) {
      out.cells[mean + 4] = ratio_text(record, *row);
      out.cells[mean + 5] = interval_text(section, *row, record, legend);
    }
    grid.rows.push_back(std::move(out));
  }
  return without_empty_columns(std::move(grid));
}

Grid others_grid(const Lookup& lookup, const Section& section) {
  Grid grid;
  grid.head = {"cell"};
  for (const auto& metric : section.others)
    grid.head.push_back(printable(metric.metric) + " " + printable(metric.unit));
  grid.align.assign(grid.head.size(), Align::Right);
  grid.align.front() = Align::Left;
  if (section.others.empty()) return grid;
  const auto summary = [&](const Row& row, std::size_t i) {
    return summarize(lookup.values(row.cell->id, section.others[i].metric));
  };
  std::vector<double> most(section.others.size(), 0);
  for (std::size_t i = 0; i < most.size(); ++i) {
    for (const auto& row : section.rows) most[i] = std::max(most[i], summary(row, i).mean);
  }
  for (const auto& kernel : kernels_in(lookup.record(), section)) {
    for (const auto& row : section.rows) {
      if (row.cell->kernel != kernel || !row.trouble.empty()) continue;
      std::string label = printable(kernel);
      if (!row.label.empty()) label += "  " + row.label;
      if (section.placements) label += "  " + placement_label(row.cell->placement);
      std::vector<std::string> cells = {label};
      for (std::size_t i = 0; i < most.size(); ++i) {
        const auto figures = summary(row, i);
        cells.push_back(figures.n == 0 ? "-" : figure(figures.mean, decimals_for(most[i])));
      }
      grid.rows.push_back({std::move(cells)});
    }
  }
  return grid;
}

}  // namespace rig::report
