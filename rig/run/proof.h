// SPDX-License-Identifier: GPL-2.0-or-later
// Which machines a kernel was seen to be right on, kept with its artifact: some kernels build and boot and
// see another machine than the one they are on.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "rig/topology/topology.h"

namespace rig {

// Keeps the guest's own view as the proof for this machine, below the artifact's directory. The first one
// stays. Where it cannot be kept (a cache of someone else's) nothing happens: it is found again.
void keep_proof(const std::filesystem::path& artifact, const Topology& machine, const std::string& view);

// The same kernel was seen on the machine otherwise: what was kept does not count any more.
void drop_proof(const std::filesystem::path& artifact, const Topology& machine);

// The names of those machines, sorted.
std::vector<std::string> proved_on(const std::filesystem::path& artifact);

}  // namespace rig
