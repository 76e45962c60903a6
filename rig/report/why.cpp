// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/why.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

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

std::optional<double> mean_of(const RunRecord& record, const std::string& cell, const std::string& metric) {
  const auto summary = summarize(values_of(record, cell, metric));
  return summary.n == 0 ? std::nullopt : std::optional(summary.mean);
}

double counter(const RunRecord& record, const std::string& cell, const std::string& name) {
  return mean_of(record, cell, "model." + name).value_or(0);
}

// How many fell into the modelled part of what a rate counts ("trans" of trans/s), or of what a mean time is of.
std::optional<double> units_of(const RunRecord& record, const Section& section, const std::string& cell) {
  const auto rate = mean_of(record, cell, section.metric.metric);
  if (!rate || *rate <= 0) return std::nullopt;
  const double seconds = counter(record, cell, "duration") * 1e-9;
  const bool rates = section.metric.unit.ends_with("/s");
  if (!rates && (section.metric.metric != "mean" || section.metric.unit != "us")) return std::nullopt;
  const double units = rates ? *rate * seconds : seconds * 1e6 / *rate;
  return units > 0 ? std::optional(units) : std::nullopt;
}

std::string figure(double value) { return fmt::format("{:.{}f}", value, value >= 100 || value == 0 ? 0 : 1); }

}  // namespace

std::string why_text(const RunRecord& record, const Section& section, std::size_t width) {
  std::vector<const Row*> rows;
  bool rated = true;
  for (const auto& row : section.rows) {
    if (counter(record, row.cell->id, "elapsed") <= 0) continue;
    rows.push_back(&row);
    rated = rated && units_of(record, section, row.cell->id).has_value();
  }
  if (rows.empty()) return "";

  const std::string unit = section.metric.unit == "us"
                               ? "the times whose mean is above"
                               : printable(section.metric.unit.substr(0, section.metric.unit.find("/s")));
  std::string out =
      "\n  " +
      wrap(rated ? fmt::format("Where the cycles went: modelled cycles of all vCPUs, for each of {}", unit)
                 : std::string("Where the cycles went: parts of the modelled cycles of all vCPUs, %"),
           width - 2, 4) +
      "\n";
  Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
               Align::Right, Align::Right});
  // So many columns fit; the rest stands in a table of its own.
  constexpr std::size_t at_once = 4;
  for (std::size_t begin = 0; begin < rows.size(); begin += at_once) {
    const std::size_t end = std::min(begin + at_once, rows.size());
    std::vector<std::string> heads{""};
    for (std::size_t i = begin; i < end; ++i) {
      const auto& cell = *rows[i]->cell;
      std::string label = section.placements ? placement_label(cell.placement) : rows[i]->label;
      heads.push_back(printable(cell.kernel) + (label.empty() ? "" : ", " + label));
    }
    table.row(heads);
    const auto divisor = [&](const std::string& cell) {
      return rated ? *units_of(record, section, cell) : counter(record, cell, "elapsed") / 100;
    };
    for (const auto& group : groups()) {
      std::vector<std::string> cells{group.title};
      bool any = false;
      for (std::size_t i = begin; i < end; ++i) {
        double sum = 0;
        for (const char* name : group.counters) sum += counter(record, rows[i]->cell->id, name);
        any = any || sum > 0;
        cells.push_back(figure(sum / divisor(rows[i]->cell->id)));
      }
      if (any) table.row(cells);
    }
    if (rated) {
      std::vector<std::string> cells{"in all"}, instructions{"instructions"}, lines{"lines from another L2 or package"};
      for (std::size_t i = begin; i < end; ++i) {
        const std::string& cell = rows[i]->cell->id;
        cells.push_back(figure(counter(record, cell, "elapsed") / divisor(cell)));
        instructions.push_back(figure(counter(record, cell, "instructions") / divisor(cell)));
        lines.push_back(figure((counter(record, cell, "served.transfer-package.count") +
                                counter(record, cell, "served.transfer-other-package.count")) /
                               divisor(cell)));
      }
      table.row(cells);
      table.row(instructions);
      table.row(lines);
    }
  }
  return out + table.render(4, 44);
}

}  // namespace rig::report
