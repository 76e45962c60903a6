// SPDX-License-Identifier: GPL-2.0-or-later
// From a topology with its timing to the numbers of the model. Not part of what the plug-in links.
#pragma once
#include "rig/model/machine_spec.h"
#include "rig/topology/topology.h"

namespace rig {

// The topology must be sound (faults() empty) and have a timing. Throws std::invalid_argument else.
model::MachineSpec machine_spec(const Topology& topology);

}  // namespace rig
