// SPDX-License-Identifier: GPL-2.0-or-later
// Ranges of kernel versions, for rules and configurations. Pure.
#pragma once
#include <optional>
#include <string>

#include "rig/plan/kernel_version.h"

namespace rig::kernel {

using rig::KernelVersion;
using rig::leading_version;
using rig::makefile_version;
using rig::parse_version;
using rig::to_string;

// From since on, and before before; an absent end is open.
struct VersionRange {
  std::optional<KernelVersion> since, before;

  // A tree that names no version counts as newer than all.
  bool holds(const std::optional<KernelVersion>& version) const;
  bool overlaps(const VersionRange& other) const;
};

std::string to_string(const VersionRange& range);  // "2.6.25 to before 4.2", "before 3.18", "any version"

}  // namespace rig::kernel
