// SPDX-License-Identifier: GPL-2.0-or-later
// Applying patches strictly: offsets are taken, fuzz is not, and all of them apply or nothing changes.
#pragma once
#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/kernel/patch_file.h"

namespace rig::kernel {

// The outcome of a series, beside the tree: the touched files after all patches.
struct StagedPatches {
  std::filesystem::path directory;  // holds those that exist afterwards
  std::set<std::string> touched;    // paths within the tree; one that is not in directory is removed
  std::string log;                  // what GNU patch said
};

// Applies the series to copies of the touched files in directory (empty, made by the caller); the tree
// is only read. Throws InputError with every hunk that did not apply of the first patch that did not,
// each with its place and text.
StagedPatches stage_patches(const std::filesystem::path& tree, const std::vector<PatchFile>& series,
                            const std::filesystem::path& directory, std::stop_token stop);

}  // namespace rig::kernel
