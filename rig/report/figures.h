// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of the page.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "rig/report/report.h"
#include "rig/report/section.h"

namespace rig::report {

// A section's: the metric by what varies, or by kernel and placement in the manner of the graph of 2009; the samples
// as strips; of a sweep, the metric against each swept path.
std::vector<Plot> section_figures(const Lookup& lookup, const Section& section, const Material& material);
std::vector<Plot> sweep_figures(const RunRecord& record, const Section& section);
std::vector<Plot> strip_figures(const RunRecord& record, const Section& section);

// A section's figures in the order in which they were got, as departures from their cell's mean: what drifts is seen.
std::vector<Plot> order_figures(const Lookup& lookup, const std::vector<Section>& sections);

// The look of the series, by number: told apart by the form of the points and the dash as well as by colour.
std::string series_style(std::size_t series);                             // "lc rgb '#0072b2' pt 4 dt 1"
const std::vector<std::string>& series_colours();                         // "#0072b2"
std::string figure_name(const std::string& text);                         // letters, digits, '.', '_', '-'
void name_apart(std::vector<Plot>& plots, std::set<std::string>& taken);  // gives names that are taken a number
std::string axis_tics(const std::string& axis, const std::vector<std::string>& labels);  // names for 0, 1, 2, …

}  // namespace rig::report
