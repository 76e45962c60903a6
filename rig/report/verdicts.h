// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts as text, and the published figures beside the run's in the posts' own layouts.
#pragma once
#include <string>

#include "rig/verdict/verdict.h"

namespace rig::report {

// Empty where nothing was compared and nothing is asked.
std::string verdicts_text(const RunRecord& record, const Verdicts& verdicts, const Judging& judging, std::size_t width);

// Empty where no published row has a cell in the run.
std::string beside_text(const Verdicts& verdicts, const Judging& judging, std::size_t width);

}  // namespace rig::report
