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
std::string comparison(const RunRecord& record, const Section& base, const Section& section, Legend& legend) {
  const std::string& metric = section.metric.metric;
  Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Left});
  table.row({"", "", printable(base.topology), printable(section.topology), "ratio"});
  double largest = 0;
  for (const auto* side : {&base, &section}) {
    for (const auto& row : side->rows) largest = std::max(largest, row.summary.mean);
  }
  const int decimals = decimals_for(largest);
  bool any = false;
  for (const auto& row : section.rows) {
    const Row* before = same_cell(base, row);
    if (before == nullptr) continue;
    const auto then = values_of(record, before->cell->id, metric), now = values_of(record, row.cell->id, metric);
    const auto ratio = ratio_in(section, now, then);
    if (!ratio) continue;
    any = true;
    std::string text = fmt::format("{:.3f}", ratio->value);
    if (ratio->interval) {
      (section.perturbed ? legend.range : legend.interval) = true;
      text += fmt::format(" [{:.3f}, {:.3f}]", ratio->interval->first, ratio->interval->second);
    }
    std::string label = row.label;
    if (section.placements) label += (label.empty() ? "" : ", ") + placement_label(row.cell->placement);
    table.row({printable(row.cell->kernel), label, fmt::format("{:.{}f}", summarize(then).mean, decimals),
               fmt::format("{:.{}f}", summarize(now).mean, decimals), text});
  }
  return any ? table.render(2, 40) : "";
}

}  // namespace

std::string what_if_text(const RunRecord& record, std::size_t width, Legend& legend) {
  const auto sections = sections_of(record);
  std::string out;
  for (const auto& machine : record.topologies) {
    if (machine.base.empty() || !machine.swept.empty()) continue;
    for (const auto& section : sections) {
      if (section.topology != machine.name) continue;
      const auto base = std::find_if(sections.begin(), sections.end(), [&](const Section& other) {
        return other.job == section.job && other.topology == machine.base && other.points.empty();
      });
      if (base == sections.end()) continue;
      const std::string table = comparison(record, *base, section, legend);
      if (table.empty()) continue;
      out += "\n" +
             wrap(fmt::format("What if: {} on {}: {}, {}", printable(section.job), title_of(machine),
                              printable(section.metric.metric), printable(section.metric.unit)),
                  width, 2) +
             "\n\n" + table;
    }
  }
  return out;
}

}  // namespace rig::report
