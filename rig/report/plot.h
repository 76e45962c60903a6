// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as scripts for gnuplot: pure text, drawn elsewhere.
#pragma once
#include <string>
#include <vector>

#include "rig/record/record.h"

namespace rig {

struct Plot {
  std::string name;    // of the figure's file, without its ending: letters, digits, '.', '_', '-'
  std::string script;  // for gnuplot, with its data; `set terminal` and `set output` come before it
};

// The metric against each swept path: one figure a panel and path, a curve for each kernel or placement and
// each setting of the other paths (of a grid with many, the first few). Ranges as bars.
std::vector<Plot> plots_of(const RunRecord& record);

}  // namespace rig
