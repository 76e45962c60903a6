// SPDX-License-Identifier: GPL-2.0-or-later
// What libvirt writes into QEMU's log (pure).
#pragma once
#include <string>

namespace rig {

// The log without the host's name, which libvirt puts behind the kernel's release: a run's record names no machine.
std::string without_host_name(const std::string& log);

}  // namespace rig
