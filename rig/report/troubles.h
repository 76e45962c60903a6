// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that did not end ok, what was never run, and the notes.
#pragma once
#include <string>

#include "rig/record/record.h"

namespace rig::report {

std::string troubles_text(const RunRecord& record, std::size_t width);  // empty where all is well
std::string notes_text(const RunRecord& record, std::size_t width);     // empty where there are none
std::string tally_text(const RunRecord& record);  // "8 cells, 40 boots: 38 ok, 1 panic, 1 not run"

}  // namespace rig::report
