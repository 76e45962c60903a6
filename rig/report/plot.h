// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as scripts for gnuplot: pure text, drawn elsewhere.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "rig/record/record.h"

namespace rig {

struct Plot {
  std::string name;         // of the figure's file, without its ending: letters, digits, '.', '_', '-'
  std::string title;        // printable
  std::string description;  // what is to be seen, for those who do not see it; printable
  std::string script;       // for gnuplot, with its data; terminal, output and title come before it
  std::size_t key = 0;      // lines below the figure that name its curves
  std::size_t strips = 0;   // rows of a figure that has some
};

// The size that befits a figure with such a key, in gnuplot's pixels.
inline constexpr int plot_width = 560;
int plot_height(const Plot& plot);

// A text as gnuplot takes it literally.
std::string gnuplot_literal(std::string_view text);

// The metric against each swept path: one figure a panel and path, a curve for each kernel or placement and
// each setting of the other paths (of a grid with many, the first few). Ranges as bars.
std::vector<Plot> plots_of(const RunRecord& record);

}  // namespace rig
