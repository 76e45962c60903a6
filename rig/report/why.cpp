// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rig/report/rounds.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

// The counters of rig/model, in the groups a reader thinks in. A name that ends with '.' stands for
// all counters below it.
struct Group {
  const char* title;
  std::vector<const char*> counters;
};
const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"compute", {"compute.cycles", "locked.cycles", "splits.cycles"}},
      {"hits in L2, L3", {"served.level2.cycles", "served.level3.cycles"}},
      {"from a cache inside the same L2 or L3", {"served.transfer-level2.cycles", "served.transfer-level3.cycles"}},
      {"from another L2 of the package", {"served.transfer-package.cycles"}},
      {"from another package", {"served.transfer-other-package.cycles"}},
      {"memory", {"served.memory.cycles", "served.remote-memory.cycles"}},
      {"upgrades of shared lines",
       {"upgrades.level2.cycles", "upgrades.level3.cycles", "upgrades.package.cycles",
        "upgrades.other-package.cycles"}},
      {"waiting for a bus or memory", {"queueing.cycles"}},
      {"devices, IPIs, interrupts",
       {"devices.local-apic.cycles", "devices.io-apic.cycles", "devices.hpet.cycles", "devices.serial.cycles",
        "devices.pci.cycles", "devices.memory.cycles", "devices.port.cycles", "ipis.cycles", "interrupts.cycles"}},
      {"wake-ups from idle", {"halt-exits.cycles"}},
      {"idle", {"idle"}},
  };
  return all;
}

std::optional<double> mean_of(const Lookup& lookup, const std::string& cell, const std::string& metric) {
  const auto summary = summarize(lookup.values(cell, metric));
  return summary.n == 0 ? std::nullopt : std::optional(summary.mean);
}

double counter(const Lookup& lookup, const std::string& cell, const std::string& name) {
  return mean_of(lookup, cell, "model." + name).value_or(0);
}

// How many fell into the modelled part of what a rate counts ("trans" of trans/s), or of what a mean time is of.
std::optional<double> units_of(const Lookup& lookup, const Section& section, const std::string& cell) {
  auto rate = mean_of(lookup, cell, section.metric.metric);
  // the counters are of a boot's last round
  if (const auto boots = rounds_of(lookup, cell, section.metric.metric); !boots.empty()) {
    std::vector<double> last;
    for (const auto& rounds : boots) last.push_back(rounds.back());
    rate = summarize(last).mean;
  }
  if (!rate || *rate <= 0) return std::nullopt;
  const double seconds = counter(lookup, cell, "duration") * 1e-9;
  const bool rates = section.metric.unit.ends_with("/s");
  if (!rates && (section.metric.metric != "mean" || section.metric.unit != "us")) return std::nullopt;
  const double units = rates ? *rate * seconds : seconds * 1e6 / *rate;
  return units > 0 ? std::optional(units) : std::nullopt;
}

std::string cycles(double value) { return figure(value, value >= 100 || value == 0 ? 0 : 1); }

}  // namespace

Grid cycles_grid(const Lookup& lookup, const Section& section) {
  std::vector<const Row*> rows;
  bool rated = true;
  for (const auto& row : section.rows) {
    if (counter(lookup, row.cell->id, "elapsed") <= 0) continue;
    rows.push_back(&row);
    rated = rated && units_of(lookup, section, row.cell->id).has_value();
  }
  if (rows.empty()) return {};

  const std::string unit = section.metric.unit == "us"
                               ? "the times whose mean is above"
                               : printable(section.metric.unit.substr(0, section.metric.unit.find("/s")));
  Grid grid;
  grid.caption = rated ? fmt::format("Where the cycles went: modelled cycles of all vCPUs, for each of {}", unit)
                       : std::string("Where the cycles went: parts of the modelled cycles of all vCPUs, %");
  grid.head = {""};
  for (const Row* row : rows) {
    const std::string label = section.placements ? placement_label(row->cell->placement) : row->label;
    grid.head.push_back(printable(row->cell->kernel) + (label.empty() ? "" : ", " + label));
  }
  grid.align.assign(grid.head.size(), Align::Right);
  grid.align.front() = Align::Left;
  const auto add = [&](const std::string& title, bool always, const auto& sum_of) {
    std::vector<std::string> cells{title};
    bool any = always;
    for (const Row* row : rows) {
      const std::string& cell = row->cell->id;
      const double sum = sum_of(cell);
      any = any || sum > 0;
      cells.push_back(
          cycles(sum / (rated ? *units_of(lookup, section, cell) : counter(lookup, cell, "elapsed") / 100)));
    }
    if (any) grid.rows.push_back({std::move(cells)});
  };
  for (const auto& group : groups()) {
    add(group.title, false, [&](const std::string& cell) {
      double sum = 0;
      for (const char* name : group.counters) sum += counter(lookup, cell, name);
      return sum;
    });
  }
  if (!rated) return grid;
  add("in all", true, [&](const std::string& cell) { return counter(lookup, cell, "elapsed"); });
  add("instructions", true, [&](const std::string& cell) { return counter(lookup, cell, "instructions"); });
  add("lines from another L2 or package", true, [&](const std::string& cell) {
    return counter(lookup, cell, "served.transfer-package.count") +
           counter(lookup, cell, "served.transfer-other-package.count");
  });
  return grid;
}

std::string why_text(const Lookup& lookup, const Section& section, std::size_t width) {
  const Grid grid = cycles_grid(lookup, section);
  if (grid.rows.empty()) return "";
  // As many columns as fit, at least one; the rest stands below, in columns of the same width.
  constexpr std::size_t indent = 4, between = 2;
  std::size_t first = 0, widest = 0;
  for (const auto& row : grid.rows) first = std::max(first, columns(row.cells.front()));
  std::vector<std::string> kernels = {""}, labels = {""};  // a head each in two lines
  for (std::size_t i = 1; i < grid.head.size(); ++i) {
    const auto comma = grid.head[i].find(", ");
    kernels.push_back(grid.head[i].substr(0, comma));
    labels.push_back(comma == std::string::npos ? "" : grid.head[i].substr(comma + 2));
    widest = std::max({widest, columns(kernels.back()), columns(labels.back())});
  }
  const bool labelled = std::any_of(labels.begin(), labels.end(), [](const auto& label) { return !label.empty(); });
  const std::size_t room = width - std::min(width, indent + first);
  const std::size_t at_once = std::max<std::size_t>(1, room / (widest + between));
  Table table(std::vector<Align>(
      grid.align.begin(), grid.align.begin() + static_cast<std::ptrdiff_t>(std::min(grid.align.size(), 1 + at_once))));
  for (std::size_t begin = 1; begin < grid.head.size(); begin += at_once) {
    const std::size_t end = std::min(begin + at_once, grid.head.size());
    const auto part = [&](const std::vector<std::string>& cells) {
      std::vector<std::string> out{cells.front()};
      for (std::size_t i = begin; i < end; ++i) out.push_back(cells[i]);
      return out;
    };
    table.row(part(kernels));
    if (labelled) table.row(part(labels));
    for (const auto& row : grid.rows) table.row(part(row.cells));
  }
  return "\n  " + wrap(grid.caption, width - 2, 4) + "\n" + table.render(4, 44);
}

}  // namespace rig::report
