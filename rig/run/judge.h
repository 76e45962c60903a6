// SPDX-License-Identifier: GPL-2.0-or-later
// From the raw facts of one session to an outcome: pure, so that every kind of failure can be tested
// without a guest.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rig/job/job.h"
#include "rig/plan/plan.h"
#include "rig/record/record.h"
#include "rig/vm/vm.h"

namespace rig {

struct AttemptFacts {
  SessionResult session;
  ResultStream results;
  bool results_begun = false;    // the guest sent anything at all
  std::string console;           // its tail is enough
  std::string expected_release;  // empty: not known, not compared
  std::string expected_config_sha256;
  std::string expected_clock;  // the clock source's name begins so; empty: any will do
  bool interrupted = false;
};

struct Judgement {
  Outcome outcome = Outcome::Ok;
  std::string reason;           // empty for Ok
  std::vector<Sample> samples;  // only with Ok
  std::vector<std::string> notes;
};

// Why the guest is not the kernel or the machine asked for, by a stream that is complete: its release and
// configuration, CPUs, caches, NUMA nodes, scheduler domains, clock and timer. Nothing where it is.
std::optional<Judgement> judge_view(const AttemptFacts& facts, const Topology& topology);

// Why a guest's session cannot count, whatever its job gave: it was interrupted, did not come to its end, is
// not what was asked for, or its agent failed. Nothing where all that is well.
std::optional<Judgement> judge_session(const AttemptFacts& facts, const Topology& topology);

// What the frames say of each process.
std::vector<StepOutput> step_outputs(const ResultStream& stream);

// What the kernel's log of a guest says, for the record.
std::vector<std::string> log_notes(const ResultStream& stream);

Judgement judge(const AttemptFacts& facts, const Topology& topology, const JobSpec& job, const Cell& cell);

// The last lines of a console that say why a kernel died, or its very last line; control characters
// removed.
std::string last_words(const std::string& console);

}  // namespace rig
