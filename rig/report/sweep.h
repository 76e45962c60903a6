// SPDX-License-Identifier: GPL-2.0-or-later
// A sweep as a table of the metric by what is swept, and what can be said of it: which comparisons hold at
// every value.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rig/report/grid.h"
#include "rig/report/section.h"
#include "rig/report/tables.h"

namespace rig::report {

// One curve of a sweep: the cells of one kernel, placement and set of parameters, a row a point.
struct Curve {
  std::string kernel, placement;
  std::vector<const Row*> rows;  // as Section::points; null where the plan has no such cell
};

// Curves that are compared: on one machine they differ in the kernel, or, with one kernel, in the placement.
struct Panel {
  std::string label;  // "4 clients, same CPU"; printable, may be empty
  std::vector<Curve> curves;
};
std::vector<Panel> panels_of(const RunRecord& record, const Section& section);

// "fsb.cache_to_cache", "l2.latency and halt.exit": the paths without "timing."; of many, "16 numbers"; printable.
std::string swept_paths(const Section& section);

// "150 ns" where one path is swept, else the point's own part of its name; printable.
std::string point_label(const Section& section, const TopologyRecord& point);

// How one curve lies to another over the points.
struct Claim {
  std::string lower, upper;                     // what the two are called; printable
  std::size_t points = 0;                       // at which both have figures
  std::vector<std::string> against, undecided;  // labels of points where it does not hold, or cannot be told
  std::vector<std::string> absent;              // labels of points at which one of the two has no figures
  double least = 0, most = 0;                   // of the ratios lower / upper over the points
};
std::vector<Claim> claims_of(const RunRecord& record, const Section& section, const Panel& panel);
std::string claim_text(const Claim& claim);

// A column a curve, and after each of another kernel than the baseline its ratio.
Grid panel_grid(const RunRecord& record, const Section& section, const Panel& panel, Legend& legend);

std::string sweep_text(const RunRecord& record, const Section& section, std::size_t width, Legend& legend);

}  // namespace rig::report
