// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel's version as far as rules and configurations depend on it. Pure.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace rig::kernel {

// 2.6.22 of 2.6.22.19; 3.17.0 of 3.17 and of 3.17-rc1; 6.1.192. Release candidates count as their release:
// what a version brings comes with its merge window.
struct KernelVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const KernelVersion&) const = default;
};

std::string to_string(const KernelVersion& version);  // "2.6.22", "3.17", "6.1.192"

// Of a text that is a version: "2.6.22", "3.17". Nothing where anything else is in it.
std::optional<KernelVersion> parse_version(std::string_view text);

// Of a text that begins with one: a Debian package's "6.1.192-3", a release "2.6.30-rc3".
std::optional<KernelVersion> leading_version(std::string_view text);

// Of the top Makefile of a kernel's tree: VERSION, PATCHLEVEL and SUBLEVEL. Nothing where they are not there.
std::optional<KernelVersion> makefile_version(std::string_view makefile);

// From since on, and before before; an absent end is open.
struct VersionRange {
  std::optional<KernelVersion> since, before;

  // A tree that names no version counts as newer than all.
  bool holds(const std::optional<KernelVersion>& version) const;
  bool overlaps(const VersionRange& other) const;
};

std::string to_string(const VersionRange& range);  // "2.6.25 to before 4.2", "before 3.18", "any version"

}  // namespace rig::kernel
