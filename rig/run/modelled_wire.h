// SPDX-License-Identifier: GPL-2.0-or-later
// A wire inside one modelled guest: two guests cannot share one virtual time, so that both ends are in one. The far
// end has a package of its own (a topology's `peer:`) and a card of its own, and its echo works on the packets
// themselves (rig/guest/pinger_raw.c). Pure.
#pragma once
#include "rig/job/job.h"
#include "rig/run/judge.h"

namespace rig {

// The cell with its peer on the reserved CPU, for interrupts and process alike. Throws InputError where the topology
// has no such CPU, where another kernel or machine was asked for the peer, or a process of it that is not bound.
Cell modelled_wire_cell(const Cell& cell, const Topology& topology);

// Both ends' steps: the peer's in the background, before the guest's. Throws InputError where a step of the peer
// is no echo of rig-pinger's.
GuestScript modelled_wire_script(const JobSpec& job, const Cell& cell, const Topology& topology,
                                 const std::string& results);

// As judge(), of both ends: where their processes were and their interrupts. A lost packet is a failure: in
// virtual time nothing is lost by accident.
Judgement judge_modelled_wire(const AttemptFacts& facts, const Topology& topology, const JobSpec& job,
                              const Cell& cell);

}  // namespace rig
