// SPDX-License-Identifier: GPL-2.0-or-later
// What a report says of guests' images where kernels of one run took different ones.
#pragma once
#include <string>

#include "rig/report/section.h"

namespace rig::report {

// The image that a kernel ran; empty where all ran the same.
std::string image_of(const RunRecord& record, const std::string& kernel);

// Whether a cell of this job on this kernel ran other builds of the benchmark's programs than the baseline's.
bool programs_differ(const RunRecord& record, const std::string& job, const std::string& kernel);

// What stands in front of a ratio that compares such programs as well as kernels.
inline constexpr const char* other_programs_mark = "*";

// The lines below a section with such ratios; empty where it has none.
std::string image_words(const RunRecord& record, const Section& section);
std::string image_note(const RunRecord& record, const Section& section, std::size_t width);

}  // namespace rig::report
