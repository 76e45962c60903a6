// SPDX-License-Identifier: GPL-2.0-or-later
// Sections as tables of text, in the layouts of the two posts.
#pragma once
#include <string>

#include "rig/report/section.h"

namespace rig::report {

// What the tables used and the reader may want explained.
struct Legend {
  bool deviation = false, range = false, interval = false, single = false, no_spread = false, few = false;
};

// Kernels in the record's order, then any that it does not list.
std::vector<std::string> kernels_in(const RunRecord& record, const Section& section);

std::string section_text(const RunRecord& record, const Section& section, std::size_t width, Legend& legend);

}  // namespace rig::report
