// SPDX-License-Identifier: GPL-2.0-or-later
// Unpacking of archives that are not trusted: where each member may go, and how much of it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace rig {

struct UnpackLimits {
  std::uint64_t bytes = std::uint64_t{16} << 30;  // of all members together, unpacked
  std::uint64_t members = 2'000'000;
};

struct UnpackOptions {
  bool strip = false;           // drop the first path component
  bool absolute_links = false;  // absolute link targets are meant from the archive's own root
  std::function<bool(const std::string&)> keep = {};
  UnpackLimits limits = {};
  std::string shown = {};  // what messages call the archive; its path where it is empty
};

// "./usr//bin/x/" to "usr/bin/x"; empty for the root itself; nothing for a path that is absolute,
// has a ".." or a NUL.
std::optional<std::string> member_path(std::string_view name);

// Where a symbolic link at a member path leads, as a path from the archive's root; nothing where it
// leads out, or may: a ".." behind a name, which may itself be a link. By the text alone.
std::optional<std::string> link_destination(std::string_view link, std::string_view target, bool absolute_links);

// Unpacks a tar, compressed or not, or (deb) the data member of a .deb.
void unpack(const std::filesystem::path& archive, bool deb, const std::filesystem::path& directory,
            const UnpackOptions& options, std::stop_token stop);

}  // namespace rig
