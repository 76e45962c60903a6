// SPDX-License-Identifier: GPL-2.0-or-later
// Where a kernel comes from and what it is compiled with: keys of its definition.
#pragma once
#include <filesystem>

#include "rig/config/definition_file.h"

namespace rig::config {

const Shape& source_shape();
Shape patch_shape();

void read_source(const yaml::Node* source, const std::filesystem::path& file, KernelSpec& spec, Faults& faults);
// Which version that is, by its name or its files; nothing where neither says.
std::optional<KernelVersion> version_of(const KernelSpec& spec);

void read_patches(const yaml::Node* root, const std::filesystem::path& file, KernelSpec& spec, Faults& faults);

// The key toolchain: a compiler's program name, a definition's in toolchains/, or the tools one by one.
const Shape& toolchain_value_shape();
void read_toolchain_value(const yaml::Node* node, const std::filesystem::path& file, KernelSpec& spec,
                          std::vector<Diagnostic>& all, Faults& faults);
// A path as written in a definition: "~" is the home directory, the rest is relative to the file.
std::filesystem::path resolve_path(const std::string& written, const std::filesystem::path& file);

}  // namespace rig::config
