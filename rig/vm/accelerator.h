// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of finding out whether KVM serves.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "rig/vm/vm.h"

namespace rig {

// Why its device does not open; nothing where it does (which proves little yet).
std::optional<std::string> device_fault(const std::filesystem::path& device);

// kvm_fault with that device in place of /dev/kvm.
std::optional<std::string> kvm_fault_by(const std::filesystem::path& device, Hypervisor& hypervisor,
                                        const std::filesystem::path& cache, const std::filesystem::path& probe_kernel,
                                        const std::filesystem::path& probe_initrd, std::stop_token stop);

// Vendor, family, model, stepping, name and microcode of the first CPU of /proc/cpuinfo's text.
std::string host_cpu(const std::string& cpuinfo);

}  // namespace rig
