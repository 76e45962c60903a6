// SPDX-License-Identifier: GPL-2.0-or-later
// The cache of kernels: what a kernel's key is made of, and how one is made under its lock.
#pragma once
#include "rig/kernel/variant.h"

namespace rig::kernel {

// Throws InputError with every fault of every file.
Inputs read_inputs(const KernelSpec& spec, const std::vector<std::filesystem::path>& patches);

// The hash of all that determines a kernel's bytes. toolchain is empty for a prebuilt one.
std::string kernel_key(const SourceIdentity& source, const Inputs& inputs, const std::optional<Toolchain>& toolchain,
                       const CompatRules& compat = {});

// KernelStore's functions over a given archive. kernels: the directory "kernels" of rig's cache.
void prove_kernel(const std::filesystem::path& kernels, const PackageShelf& shelf, const KernelSpec& spec,
                  const KernelProgress& progress, std::stop_token stop);
KernelArtifact ensure_kernel(const std::filesystem::path& kernels, const PackageShelf& shelf, const KernelSpec& spec,
                             const KernelProgress& progress, std::stop_token stop);
std::vector<VerifiedFile> verify_kernel(const std::filesystem::path& kernels, const PackageShelf& shelf,
                                        const KernelSpec& spec, const KernelProgress& progress, std::stop_token stop);
std::optional<KernelArtifact> cached_kernel(const std::filesystem::path& kernels, const PackageShelf& shelf,
                                            const KernelSpec& spec);

}  // namespace rig::kernel
