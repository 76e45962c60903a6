// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/version.h"

namespace rig::kernel {

bool VersionRange::holds(const std::optional<KernelVersion>& version) const {
  if (!version) return !before;
  return (!since || *version >= *since) && (!before || *version < *before);
}

bool VersionRange::overlaps(const VersionRange& other) const {
  const auto ends_first = [](const VersionRange& a, const VersionRange& b) {
    return a.before && b.since && *a.before <= *b.since;
  };
  return !ends_first(*this, other) && !ends_first(other, *this);
}

std::string to_string(const VersionRange& range) {
  if (range.since && range.before) return to_string(*range.since) + " to before " + to_string(*range.before);
  if (range.since) return "since " + to_string(*range.since);
  if (range.before) return "before " + to_string(*range.before);
  return "any version";
}

}  // namespace rig::kernel
