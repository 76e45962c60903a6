// SPDX-License-Identifier: GPL-2.0-or-later
// Toolchains that are not installed: a directory with usr/bin and lib in it, the user's own or one that rig
// unpacked from Debian's packages.
#pragma once
#include "rig/kernel/source.h"
#include "rig/kernel/toolchain.h"

namespace rig::kernel {

// The programs of any toolchain, its packages unpacked first where it is made of such and Lookup::Resolve is
// given. Nothing only with Lookup::Remembered, where they never were. Below toolchains: KEY/ for an unpacked
// one, KEY.launchers/ for the programs with which one in a directory is called (their libraries and binutils are
// found beside them, and nothing else of the host changes). Throws what find_programs and the shelf throw.
std::optional<Toolchain> toolchain_of(const ToolchainSpec& spec, const PackageShelf& shelf,
                                      const std::filesystem::path& toolchains, Lookup lookup,
                                      const KernelProgress& progress, std::stop_token stop);

// The packages and all that they depend on, but for the C library; nothing as above.
std::optional<std::vector<DebianPackage>> toolchain_packages(const ToolchainSpec& spec, const PackageShelf& shelf,
                                                             Lookup lookup, std::stop_token stop);

// KernelStore::toolchain over a given archive.
ToolchainArtifact ensure_toolchain(const ToolchainSpec& spec, const PackageShelf& shelf,
                                   const std::filesystem::path& toolchains, const KernelProgress& progress,
                                   std::stop_token stop);

// Where these are unpacked, or will be.
std::filesystem::path toolchain_place(const std::filesystem::path& toolchains,
                                      const std::vector<DebianPackage>& packages);

}  // namespace rig::kernel
