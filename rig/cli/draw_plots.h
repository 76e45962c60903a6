// SPDX-License-Identifier: GPL-2.0-or-later
// Figures drawn by gnuplot.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rig/record/record.h"
#include "rig/report/plot.h"

namespace rig::cli {

// Draws the record's sweeps as SVG into the directory, each beside its script. What came of it, for people; empty
// where the record has none. Never throws for gnuplot's sake.
std::string draw_plots(const RunRecord& record, const std::filesystem::path& directory);

// The figures as SVG texts by name, for a page. Where some could not be drawn, fault says why.
std::map<std::string, std::string> draw_for_page(const std::vector<Plot>& plots, std::string& fault);

}  // namespace rig::cli
