// SPDX-License-Identifier: GPL-2.0-or-later
// From the facts of a wired cell's two sessions to its outcome: pure.
#pragma once
#include <optional>

#include "rig/plan/wire.h"
#include "rig/run/judge.h"

namespace rig {

// One of the two guests: its session, what its job gave, and where its interrupts were. Samples of the wire
// (wire.interrupts, wire.received: share on target, %; instance 1 the guest's, 2 the peer's; wire.lost) come
// with those of the guest.
Judgement judge_end(const AttemptFacts& facts, const Topology& topology, const JobSpec& job, const Cell& cell,
                    WireEnd end);

// The cell's outcome. first: whose failure came first, where one failed; the other was then ended for its sake
// and its own judgement means nothing. A peer's failure has an outcome of its own.
Judgement judge_wired(const Judgement& guest, const Judgement& peer, std::optional<WireEnd> first);

}  // namespace rig
