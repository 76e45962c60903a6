// SPDX-License-Identifier: GPL-2.0-or-later
// What-ifs beside the machines that they were made from.
#pragma once
#include <string>

#include "rig/report/tables.h"

namespace rig::report {

// For each what-if whose own machine was run too: every cell's figure on both, and their ratio. Empty where
// there is none.
std::vector<Grid> what_if_grids(const Lookup& lookup, const std::vector<Section>& sections, Legend& legend);
std::string what_if_text(const Lookup& lookup, const std::vector<Section>& sections, std::size_t width, Legend& legend);

}  // namespace rig::report
