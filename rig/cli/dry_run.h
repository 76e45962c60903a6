// SPDX-License-Identifier: GPL-2.0-or-later
// What `rig run` would do.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "rig/plan/plan.h"

namespace rig::cli {

// The plan, which kernels are in the cache, the order, and the run's directory. Starts nothing.
std::string dry_run_text(const Plan& plan, std::optional<Accelerator> accelerator,
                         const std::filesystem::path& directory, const std::filesystem::path& cache);

// The domain of the first boot. Asks QEMU what it can do and, in real time, where on this host the guest would
// be: throws HostLacks where there is no QEMU, and under strict where this host does not carry every machine.
std::string first_domain(const Plan& plan, std::optional<Accelerator> accelerator, bool strict,
                         const std::filesystem::path& directory, const std::filesystem::path& cache);

}  // namespace rig::cli
