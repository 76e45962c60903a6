// SPDX-License-Identifier: GPL-2.0-or-later
// What the script and the reading of results both take from a job and a cell.
#pragma once
#include "rig/job/template.h"
#include "rig/plan/plan.h"
#include "rig/plan/wire.h"

namespace rig::job {

// Every parameter (the cell's value, else the default) and, with placements, the two CPUs; over a wire
// those of this end.
Words words_of(const JobSpec& spec, const Cell& cell, WireEnd end = WireEnd::Guest);

// How many processes the step starts in this cell. Throws InputError.
int copies_of(const JobSpec& spec, const JobStep& step, const Words& words);

}  // namespace rig::job
