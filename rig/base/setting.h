// SPDX-License-Identifier: GPL-2.0-or-later
// One value that an experiment gives a machine: what a record keeps of a what-if and of a sweep.
#pragma once
#include <string>

namespace rig {

struct Setting {
  std::string path;   // into a topology file: "timing.fsb.cache_to_cache"
  std::string value;  // as shown to people, with its unit: "150 ns"; "none" where it takes the key away
  bool operator==(const Setting&) const = default;
};

}  // namespace rig
