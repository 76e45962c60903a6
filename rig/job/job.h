// SPDX-License-Identifier: GPL-2.0-or-later
// From a job definition and a cell to the guest's script, and from the guest's outputs to samples.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "rig/plan/guest_script.h"
#include "rig/plan/plan.h"
#include "rig/plan/wire.h"
#include "rig/record/record.h"

namespace rig {

// What in a job contradicts itself or rig's parsers: an unknown parser, a metric that its parser does
// not give or gives in another unit, a template that does not expand, no foreground step. One
// message each, empty where all agrees. To be asked before anything is started.
std::vector<std::string> job_faults(const JobSpec& job);

// The steps with every template filled in, of a job over a wire those of one of its guests (which is not on
// the wire yet: put_on_wire). Throws InputError naming an unknown {word}.
GuestScript make_script(const JobSpec& job, const Cell& cell, const std::string& results, int heartbeat_ms,
                        WireEnd end = WireEnd::Guest);

// The step whose outputs count: the last foreground one, of a job over a wire in the guest asked; null
// where there is none.
const JobStep* measured_step(const JobSpec& job, WireEnd end = WireEnd::Guest);

// What the guest gave back for one process of one step.
struct StepOutput {
  std::string step;
  int copy = 0;
  std::string out, err, status;  // status as in PROTOCOL.md: "exit 0 ms=… cpus=…"
};

// Samples, or why there are none. Failures are told from results: a zero, a missing line, exit 0
// with no server, a value that is not finite or not positive. Only metrics that the job declares
// are given. What a failure quotes from the guest is printable and bounded.
struct JobResult {
  Outcome outcome = Outcome::Ok;   // or BenchmarkFailed, Timeout, PlacementMismatch
  std::vector<Sample> samples;     // empty where it failed
  std::string failure;             // empty where it did not
  std::int64_t lost = 0;           // of what was sent, not counted among the samples
  std::vector<std::string> notes;  // "37,412 lines a client, fewer than 50,000: MB/s is not comparable"
};
// Of several rounds a sample is the boot's figure (see Rounds), and each round's own follow as "round.METRIC" and
// "warmup.METRIC", their instance the round's number from 1. A round that failed fails the whole.
JobResult read_results(const JobSpec& job, const Cell& cell, const std::vector<StepOutput>& outputs);

// The same of a cell's peer, which gives no samples.
JobResult read_peer_results(const JobSpec& job, const Cell& cell, const std::vector<StepOutput>& outputs);

std::vector<std::string> parser_names();

}  // namespace rig
