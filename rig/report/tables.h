// SPDX-License-Identifier: GPL-2.0-or-later
// Sections as tables of text, in the layouts of the two posts.
#pragma once
#include <string>

#include "rig/report/grid.h"
#include "rig/report/section.h"
#include "rig/report/words.h"

namespace rig::report {

std::string section_text(const Lookup& lookup, const Section& section, std::size_t width, Legend& legend);

// The same as the text's table of the section, a row a cell (and a client of an only boot).
Grid results_grid(const RunRecord& record, const Section& section, Legend& legend);
// Means of the metrics that are not the section's own; without rows where there are none.
Grid others_grid(const Lookup& lookup, const Section& section);

}  // namespace rig::report
