// SPDX-License-Identifier: GPL-2.0-or-later
// Two runs of the same matrix beside each other: another kernel, host or QEMU.
#pragma once
#include <string>
#include <vector>

#include "rig/record/record.h"
#include "rig/report/report.h"

namespace rig {

struct ComparedRun {
  const RunRecord& record;
  std::string name;                       // what it is called: its directory
  const std::vector<Topology>& machines;  // of its plan; may be empty
  const Judging* judging = nullptr;       // its plan's rules; null: the usual ones
};

// Verdicts of the one against the other by the stricter of their runs' rules. "text", "md" and "html" only. What cannot
// be compared stands in the report with the reason; where nothing can, throws InputError with all reasons.
std::string compare_report(const ComparedRun& a, const ComparedRun& b, ReportFormat format, int width = 100);

}  // namespace rig
