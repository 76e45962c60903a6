// SPDX-License-Identifier: GPL-2.0-or-later
// A report's figures as files.
#pragma once
#include <filesystem>
#include <string>

#include "rig/record/record.h"

namespace rig::cli {

// Draws each figure of the record by gnuplot as DIRECTORY/NAME.svg, its script beside it as NAME.gnuplot. Gives
// a line that says where they are, or why they are not drawn (no gnuplot); empty where there is none to draw.
std::string draw_plots(const RunRecord& record, const std::filesystem::path& directory);

}  // namespace rig::cli
