// SPDX-License-Identifier: GPL-2.0-or-later
// The table of parsers: what a benchmark printed, to samples. A parser is pure, takes any bytes, and
// quotes nothing unprintable.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rig/job/job.h"
#include "rig/job/text.h"

namespace rig::job {

struct MetricForm {
  std::string_view name, unit;
};

// The measured step's outputs, one of each of its processes, in order of copy; never empty.
struct Reading {
  const JobSpec& job;
  const Cell& cell;
  std::vector<const StepOutput*> copies;
  std::string parameter(std::string_view name) const;  // empty where the job has none
};

struct Parser {
  std::string_view name;
  std::span<const MetricForm> metrics;
  // A known cause of failure in a process's output ("no tbench_srv answered: …"), asked first.
  std::optional<std::string> (*diagnose)(const StepOutput& output);
  // Asked only where every process ended with exit 0 and nothing was diagnosed.
  JobResult (*read)(const Reading& reading);
};

const Parser* find_parser(std::string_view name);

extern const Parser tbench_parser, netperf_rr_parser, pinger_parser;

// The largest figure believed: beyond it a number is damage, whatever it counts.
inline constexpr double max_plausible = 1e12;

// Every foreground step of this end, each of whose processes must have ended well; measured: the outputs of
// the last. Why not, with the parser's own diagnosis where it has one; nothing where all is well.
std::optional<JobResult> steps_fault(const JobSpec& spec, const Cell& cell, WireEnd end,
                                     const std::vector<StepOutput>& outputs, const Parser& parser,
                                     std::vector<const StepOutput*>& measured);

JobResult failed(std::string why, Outcome outcome = Outcome::BenchmarkFailed);

// A positive, finite, believable figure, or why not ("is 0", "is \"nan\", no number").
struct Figure {
  double value = 0;
  std::string fault;
};
Figure figure(std::string_view text);

}  // namespace rig::job
