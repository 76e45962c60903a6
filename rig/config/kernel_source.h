// SPDX-License-Identifier: GPL-2.0-or-later
// Where a kernel comes from: the keys source and patches of its definition.
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

}  // namespace rig::config
