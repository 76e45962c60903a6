// SPDX-License-Identifier: GPL-2.0-or-later
// How often each cell is repeated: pure, by the plan and what a record holds already.
#pragma once
#include <optional>
#include <vector>

#include "rig/plan/plan.h"
#include "rig/record/record.h"
#include "rig/stats/sequential.h"

namespace rig {

std::optional<Precision> precision_of(const MatrixSpec& matrix);  // of its `repeat: {until: …}`

// How many repetitions each of the plan's cells is to have, by what is known after the blocks before this one (of
// one repetition of every cell that still needs it). Cells that are compared stop together. In virtual time `until`
// means its least number: a range is no interval. A cell without two figures by then is not waited for.
std::vector<int> repetitions_wanted(const Plan& plan, const RunRecord& record, int blocks);

// What of the plan's order a finished run should hold.
std::vector<Attempt> attempts_wanted(const Plan& plan, const RunRecord& record);

}  // namespace rig
