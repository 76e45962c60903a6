// SPDX-License-Identifier: GPL-2.0-or-later
// One repetition of a cell whose ends are two guests on a wire: two sessions at once, of which the first to
// fail ends the other.
#pragma once
#include <utility>

#include "rig/run/attempt.h"

namespace rig {

// The guest and the peer; pure but for the paths they name. The peer's files are below directory/peer, the
// wire's sockets in `wire`.
std::pair<VmSpec, VmSpec> wired_specs(const AttemptContext& context, const Attempt& attempt,
                                      const std::filesystem::path& directory, const std::filesystem::path& scratch,
                                      const std::filesystem::path& wire);

// As run_attempt.
AttemptEnd run_wired_attempt(const AttemptContext& context, const Attempt& attempt, int number, const StageSink& stage,
                             std::stop_token stop);

}  // namespace rig
