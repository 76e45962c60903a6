// SPDX-License-Identifier: GPL-2.0-or-later
// Several rounds of the measured step in one boot: their names in the script, and their figures as the boot's.
#pragma once
#include <string>
#include <vector>

#include "rig/job/job.h"

namespace rig::job {

// What the measured step is called in each round, those of warm-up first: its own name where there is but one.
std::vector<std::string> round_steps(const JobStep& step, const Rounds& rounds);

std::string round_words(std::size_t index, const Rounds& rounds);  // "round 2 of 4", "round 1 of warm-up"

// One result for each of round_steps, none of them failed.
JobResult joined(std::vector<JobResult> results, const Rounds& rounds);

}  // namespace rig::job
