// SPDX-License-Identifier: GPL-2.0-or-later
// Words of QEMU's command line for what libvirt cannot express (pure).
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "rig/plan/vm_spec.h"

namespace rig {

// QEMU's own escape for values of its option lists.
std::string doubled_commas(const std::filesystem::path& file);

// Cards and the wires they are on. Throws HostLacks where a socket's path is longer than the kernel allows.
std::vector<std::string> nic_words(const std::vector<Nic>& nics);

}  // namespace rig
