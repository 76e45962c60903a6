// SPDX-License-Identifier: GPL-2.0-or-later
// What reports show of a run's directory beside its record.
#pragma once
#include <filesystem>

#include "rig/report/report.h"

namespace rig::cli {

// The ends of consoles where the format shows them, the machines of the plan and the drawn figures where it is a
// page. What is missing or damaged is left out.
Material material_of(const RunRecord& record, const std::filesystem::path& run, ReportFormat format);

// The machines of a run's plan; none where its definitions are absent or another rig's.
std::vector<Topology> machines_of(const std::filesystem::path& run);

// Writes the run's page beside its record. What came of it, for people: "page: FILE", or why there is none.
std::string write_page(const RunRecord& record, const std::filesystem::path& run);

}  // namespace rig::cli
