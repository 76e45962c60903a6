// SPDX-License-Identifier: GPL-2.0-or-later
// The head of a run's record: everything known before its first boot.
#pragma once
#include <chrono>
#include <map>
#include <string>

#include "rig/kernel/kernel.h"
#include "rig/plan/plan.h"
#include "rig/record/record.h"
#include "rig/run/choose.h"
#include "rig/run/images.h"
#include "rig/vm/vm.h"

namespace rig {

// NAME-UTC-HASH: "bld-on-q6600-20261130T160800Z-0123abcd".
std::string run_directory_name(const Plan& plan, std::chrono::system_clock::time_point now);

// What a figure under this accelerator means, for the heading of every report.
std::string meaning_of(Accelerator accelerator);

RunRecord head_of(const Plan& plan, const AcceleratorChoice& choice,
                  const std::map<std::string, KernelArtifact>& kernels, const RunImages& images,
                  std::map<std::string, std::string> environment);

// Throws InputError where a topology names a CPU model that this QEMU does not have.
void check_cpu_models(const Plan& plan, const QemuAbilities& qemu);

}  // namespace rig
