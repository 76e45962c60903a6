// SPDX-License-Identifier: GPL-2.0-or-later
// Where the cycles went in the modelled mode: the model's own counters, by cell.
#pragma once
#include <string>

#include "rig/report/grid.h"
#include "rig/report/section.h"

namespace rig::report {

// Cycles of all vCPUs by what took them: for each transaction, byte or line that a rate counts, else
// as parts of the whole. Empty where no cell of the section was modelled.
std::string why_text(const Lookup& lookup, const Section& section, std::size_t width);

// The same as one table; without rows where no cell was modelled. The caption says what each figure is for.
Grid cycles_grid(const Lookup& lookup, const Section& section);

}  // namespace rig::report
