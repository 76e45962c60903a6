// SPDX-License-Identifier: GPL-2.0-or-later
// Rounds inside a boot: how far boots differ and how far the rounds of one, of a section's metric.
#pragma once
#include <string>
#include <vector>

#include "rig/report/grid.h"
#include "rig/report/section.h"

namespace rig::report {

// The rounds measured in each boot of a cell that ended ok, by repetition; empty where it had but one.
std::vector<std::vector<double>> rounds_of(const Lookup& lookup, const std::string& cell, const std::string& metric);

Grid rounds_grid(const Lookup& lookup, const Section& section);  // without rows where there are no rounds
std::vector<std::string> rounds_words(const Grid& grid);         // what its columns mean; printable
std::string rounds_text(const Lookup& lookup, const Section& section, std::size_t width);

}  // namespace rig::report
