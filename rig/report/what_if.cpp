// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/report/text.h"

namespace rig::report {
namespace {

// "q6600-shared-l2 (q6600 with caches.l2.shared_by 4)".
std::string title_of(const TopologyRecord& machine) {
  std::string text;
  for (const auto& [path, value] : machine.settings)
    text += (text.empty() ? "" : ", ") + printable(path) + " " + printable(value);
  return fmt::format("{} ({} with {})", printable(machine.name), printable(machine.base), text);
}

const Row* same_cell(const Section& section, const Row& row) {
  const auto found = std::find_if(section.rows.begin(), section.rows.end(), [&](const Row& other) {
    return other.cell->kernel == row.cell->kernel && other.cell->parameters == row.cell->parameters &&
           other.cell->placement == row.cell->placement;
  });
  return found == section.rows.end() ? nullptr : &*found;
}

// The figures of one metric; another than the section's own where the two sections differ in it.
Grid comparison(const Lookup& lookup, const Section& base, const Section& section, Legend& legend) {
  const std::string& metric = section.metric.metric;
  Grid grid;
  grid.align = {Align::Left, Align::Left, Align::Right, Align::Right, Align::Left};
  grid.head = {"", "", printable(base.topology), printable(section.topology), "ratio"};
  grid.headers = 2;
  double largest = 0;
  for (const auto* side : {&base, &section}) {
    for (const auto& row : side->rows) largest = std::max(largest, row.summary.mean);
  }
  const int decimals = decimals_for(largest);
  for (const auto& row : section.rows) {
    const Row* before = same_cell(base, row);
    if (before == nullptr) continue;
    const auto then = lookup.values(before->cell->id, metric), now = lookup.values(row.cell->id, metric);
    const auto ratio = ratio_in(section, now, then);
    if (!ratio) continue;
    std::string text = fmt::format("{:.3f}", ratio->value);
    if (ratio->interval) {
      (section.perturbed ? legend.range : legend.interval) = true;
      text += fmt::format(" [{:.3f}, {:.3f}]", ratio->interval->first, ratio->interval->second);
    }
    std::string label = row.label;
    if (section.placements) label += (label.empty() ? "" : ", ") + placement_label(row.cell->placement);
    grid.rows.push_back({{printable(row.cell->kernel), label, figure(summarize(then).mean, decimals),
                          figure(summarize(now).mean, decimals), text}});
  }
  return grid;
}

}  // namespace

std::vector<Grid> what_if_grids(const Lookup& lookup, const std::vector<Section>& sections, Legend& legend) {
  std::vector<Grid> grids;
  for (const auto& machine : lookup.record().topologies) {
    if (machine.base.empty() || !machine.swept.empty()) continue;
    for (const auto& section : sections) {
      if (section.topology != machine.name) continue;
      const auto base = std::find_if(sections.begin(), sections.end(), [&](const Section& other) {
        return other.job == section.job && other.topology == machine.base && other.points.empty();
      });
      if (base == sections.end()) continue;
      Grid grid = comparison(lookup, *base, section, legend);
      if (grid.rows.empty()) continue;
      grid.caption = fmt::format("What if: {} on {}: {}, {}", printable(section.job), title_of(machine),
                                 printable(section.metric.metric), printable(section.metric.unit));
      grids.push_back(std::move(grid));
    }
  }
  return grids;
}

std::string what_if_text(const Lookup& lookup, const std::vector<Section>& sections, std::size_t width,
                         Legend& legend) {
  std::string out;
  for (const auto& grid : what_if_grids(lookup, sections, legend))
    out += "\n" + wrap(grid.caption, width, 2) + "\n\n" + grid_text(grid, 2, 40);
  return out;
}

}  // namespace rig::report
