// SPDX-License-Identifier: GPL-2.0-or-later
// Reports over a record, in every format (docs/reports.md). Pure: what else a report shows of the run's directory
// is given to it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rig/record/record.h"
#include "rig/report/plot.h"
#include "rig/topology/topology.h"
#include "rig/verdict/verdict.h"

namespace rig {

// The report in the manner of the posts: heading (what ran where, what the figures mean, each
// kernel's source and version), per job a table of kernels × parameters (or placements) with mean,
// spread, n and the ratio to the baseline, then every failed or skipped attempt with its reason.
// width: columns to fit where possible.
std::string text_report(const RunRecord& record, int width = 100);

// The same with its verdicts first, and the published figures beside the run's. judging: what they were made by.
std::string text_report(const RunRecord& record, const Verdicts& verdicts, const Judging& judging, int width = 100);

enum class ReportFormat { Text, Markdown, Json, Csv, Junit, Ktap, Html };
const std::vector<std::string>& report_formats();  // "text", "md", …, in the order of the enumeration
std::optional<ReportFormat> parse_report_format(std::string_view word);

// What a report shows beside its record. Anything may be missing: the report then says so.
struct Material {
  std::shared_ptr<const Judging> judging;       // what the verdicts were made by, which point into it
  std::optional<Verdicts> verdicts;             // none: the report has ratios alone
  std::map<std::string, std::string> consoles;  // by attempt_directory: the end of its console
  std::vector<Topology> machines;               // of the plan, to be drawn
  std::map<std::string, std::string> figures;   // SVG by Plot::name
  std::string no_figures;                       // why they were not drawn
};

// Takes the report's bytes, in pieces.
using Sink = std::function<void(std::string_view)>;

// Text is of 100 columns.
void write_report(const RunRecord& record, ReportFormat format, const Material& material, const Sink& sink);

// "cells/ID/REPETITION.TRY" below the run's directory (its "/peer" where the other guest failed); nothing where the id
// is none of rig's (it could lead elsewhere).
std::optional<std::string> attempt_directory(const AttemptRecord& attempt);
// The attempts whose consoles a report shows: the first of each trouble, of at most so many.
std::vector<std::string> consoles_wanted(const RunRecord& record);

// The figures of the page: by clients or by placement, strips of samples, the order of execution, sweeps.
// With the published points where the material has verdicts; the names are those that write_report looks for.
std::vector<Plot> figures_of(const RunRecord& record, const Material& material);

}  // namespace rig
