// SPDX-License-Identifier: GPL-2.0-or-later
// Where guests lay on the host, what they met there, and what that does to comparisons.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "rig/report/lookup.h"

namespace rig::report {

// For each machine, and each way it lay on host CPUs, where and what it met there, in two lines; empty where
// none did (virtual time).
std::string mapping_text(const RunRecord& record, std::size_t width);

// What those mappings lose, and how the host was set up.
std::string mapping_notes_text(const RunRecord& record, std::size_t width);

// What restricts or forbids comparing kernels with the baseline, each reason once; empty where nothing does
// beyond what the accelerator's meaning says.
std::string limits_text(const Lookup& lookup, std::size_t width);
std::vector<std::string> limits_of(const Lookup& lookup);

}  // namespace rig::report
