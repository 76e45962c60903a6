// SPDX-License-Identifier: GPL-2.0-or-later
// The directories and files of a tree as they looked, kept so that the next look needs to read no directory:
// as long as a directory's own times stand, it holds the same names.
#pragma once
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "rig/kernel/tree_stamp.h"

namespace rig::kernel {

// A file or directory as it looks: size, times of change, inode, mode.
using Look = std::array<std::uint64_t, 7>;
Look look_of(const struct stat& info);
// The bytes of a look, as they stand in listings and digests.
std::string_view bytes_of(const Look& look);

// One directory's part of a listing. entries: of each file its name, a NUL and the bytes of its look.
std::string listed(std::string_view directory, const Look& look, std::string_view entries);

// A whole listing of the parts of all directories.
std::string listing_of(const TreeStamp& stamp, const std::string& parts);

// The stamp that a listing was made with, where each of its directories and files looks as it did; else nothing,
// also of a listing that is damaged or of another format. By as many threads as this host has CPUs. Throws
// InterruptedError.
std::optional<TreeStamp> as_listed(const std::filesystem::path& tree, std::string_view listing,
                                   const std::stop_token& stop);

}  // namespace rig::kernel
