// SPDX-License-Identifier: GPL-2.0-or-later
// The machines that matrices make, what-ifs and points of sweeps, for `rig show` and `rig list`.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "rig/config/config.h"

namespace rig::cli {

struct MadeMachine {
  Topology topology;
  std::filesystem::path matrix;
};

// The what-ifs of the ready matrices of the store, a swept one by its first point; a matrix with faults is
// passed over.
std::vector<MadeMachine> ready_what_ifs(const DefinitionStore& store);

// A machine of a matrix by its name. Throws InputError with the names there are.
Topology machine_of(const std::filesystem::path& matrix, const std::string& name);

// A definition by its name or file, or a what-if of a ready matrix. Throws InputError.
Topology find_machine(const DefinitionStore& store, const std::string& name);

}  // namespace rig::cli
