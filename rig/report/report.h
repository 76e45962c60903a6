// SPDX-License-Identifier: GPL-2.0-or-later
// Reports over a record: pure text.
#pragma once
#include <string>

#include "rig/record/record.h"
#include "rig/verdict/verdict.h"

namespace rig {

// The report in the manner of the posts: heading (what ran where, what the figures mean, each
// kernel's source and version), per job a table of kernels × parameters (or placements) with mean,
// spread, n and the ratio to the baseline, then every failed or skipped attempt with its reason.
// width: columns to fit where possible.
std::string text_report(const RunRecord& record, int width = 100);

// The same with its verdicts first, and the published figures beside the run's. judging: what they were made by.
std::string text_report(const RunRecord& record, const Verdicts& verdicts, const Judging& judging, int width = 100);

}  // namespace rig
