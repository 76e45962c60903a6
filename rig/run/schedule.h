// SPDX-License-Identifier: GPL-2.0-or-later
// A plan's attempts in their order, on one or several workers: what is finished is kept, what failed
// for want of machinery is tried again, every try is recorded, and what a kernel's proof forbids is skipped.
#pragma once
#include <stop_token>

#include "rig/record/record.h"
#include "rig/run/attempt.h"
#include "rig/run/run.h"

namespace rig {

// An infrastructure failure says nothing of the kernel: it is tried again, so many tries in all.
inline constexpr int max_tries = 3;

// In virtual time a guest takes one host CPU and no notice of its neighbours: as many run side by side
// as there are CPUs. In real time each has the host to itself. asked overrules both.
unsigned workers_for(Accelerator accelerator, std::optional<unsigned> asked, std::size_t attempts);

// Runs what before does not hold already. Rethrows the first error that ends the whole run (a full
// disk), after the attempts under way have ended.
void run_attempts(const AttemptContext& context, RunStore& store, const RunRecord& before, unsigned workers,
                  const ProgressSink& progress, std::stop_token stop);

}  // namespace rig
