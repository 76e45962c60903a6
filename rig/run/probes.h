// SPDX-License-Identifier: GPL-2.0-or-later
// What a host can do, found by trying; `rig run` and `rig doctor` ask here alike.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "rig/kernel/kernel.h"
#include "rig/run/choose.h"
#include "rig/vm/vm.h"

namespace rig {

// With what is tried.
struct ProbeGear {
  Hypervisor& hypervisor;
  QemuAbilities qemu;
  KernelArtifact kernel;        // any that guests boot
  Topology machine;             // with a timing section, for the model
  std::filesystem::path cache;  // answers are kept below its probes/
  std::stop_token stop;
};

// Whether KVM serves, and whether QEMU follows the model: each tried when asked for. The gear must outlive them.
// say: told before each.
HostAnswers host_answers(const ProbeGear& gear, const std::function<void(const std::string&)>& say);

// Why no guest of this shape comes up under plain emulation and sees its machine as asked; nothing where one
// does, which is remembered for this host, kernel and QEMU.
std::optional<std::string> guest_fault(const ProbeGear& gear);

// A good answer is kept below cache/probes as NAME-KEY. A bad one is asked about again.
bool is_remembered(const std::filesystem::path& cache, const std::string& name, const std::string& key);
void remember(const std::filesystem::path& cache, const std::string& name, const std::string& key);
// All that is kept there, those of kvm_fault and model_fault too.
void forget_probes(const std::filesystem::path& cache);

}  // namespace rig
