// SPDX-License-Identifier: GPL-2.0-or-later
// Where rig keeps things on this host, and where its own definitions are.
#pragma once
#include <filesystem>

namespace rig {

// $XDG_CACHE_HOME/rig, ~/.cache/rig, or /var/cache/rig for root (libvirt's QEMU user cannot read
// root's home). Holds kernels/, images/, packages/, probes/, libvirt/.
std::filesystem::path cache_directory();

// The folder with kernels/, topologies/, images/ and jobs/: $RIG_DATA, else where rig was built from.
std::filesystem::path data_directory();

// The folder of the running program (build/); the guest's programs are in its guest/.
std::filesystem::path program_directory();

}  // namespace rig
