// SPDX-License-Identifier: GPL-2.0-or-later
// One kernel to build from a source: its patches and configuration upon the tree of the work place.
#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/kernel/compat.h"
#include "rig/kernel/patch_file.h"
#include "rig/kernel/source.h"
#include "rig/kernel/toolchain.h"
#include "rig/kernel/work_place.h"

namespace rig::kernel {

// Raised whenever the way of building changes the bytes that come out.
inline constexpr const char* format_version = "1";

// The definition's files, read and checked.
struct Inputs {
  std::vector<std::string> patch_texts;
  std::vector<PatchFile> patches;
  std::vector<std::vector<ConfigLine>> parts;  // the fragments and set:, for all versions

  // What is asked of this version, and what of it is meant for others only.
  std::vector<ConfigLine> config_for(const std::optional<KernelVersion>& version) const;
  std::vector<std::string> left_out(const std::optional<KernelVersion>& version) const;
};

struct Variant {
  std::string name;  // the kernel's, for messages
  Inputs inputs;
  std::vector<ConfigLine> config;  // for this source's version
  CompatRules compat;
  SourceIdentity source;
  KernelSource origin;
  std::optional<std::filesystem::path> path;  // the user's tree; else origin's pristine one
  Toolchain toolchain;
  std::filesystem::path log;
  std::filesystem::path ccache;  // empty: no ccache
};

// What the objects of a build rest upon beside the files and the symbols, which make compares itself.
std::string basis_of(const Variant& variant);

// Takes the work place as far as a tree that is patched, configured and its configuration verified. What
// can be wrong with a definition has come to light by then. Throws as KernelStore::ensure.
void configure_variant(const Variant& variant, const Origins& origins, WorkPlace& work, const KernelProgress& progress,
                       std::stop_token stop);

// The same, then the kernel, its images and log put into finished.
KernelArtifact build_variant(const Variant& variant, const Origins& origins, WorkPlace& work,
                             const std::filesystem::path& finished, const KernelProgress& progress,
                             std::stop_token stop);

}  // namespace rig::kernel
