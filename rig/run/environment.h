// SPDX-License-Identifier: GPL-2.0-or-later
// What this host is, for the record of a run.
#pragma once
#include <map>
#include <string>

#include "rig/vm/vm.h"

namespace rig {

// host-cpu, host-cpus, host-kernel, qemu, libvirt, governor, …: "absent" where the host has no such
// thing, never assumed.
std::map<std::string, std::string> survey_environment(const QemuAbilities& qemu);

}  // namespace rig
