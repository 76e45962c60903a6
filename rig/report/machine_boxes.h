// SPDX-License-Identifier: GPL-2.0-or-later
// A machine as boxes within boxes: packages, the caches that groups of CPUs share, CPUs.
#pragma once
#include <string>
#include <vector>

#include "rig/topology/topology.h"

namespace rig::report {

struct Box {
  std::string label;  // printable
  std::string kind;   // "package", "cache", "core", "cpu"
  std::vector<Box> inside;
};
std::vector<Box> boxes_of(const Topology& machine);          // its packages
std::vector<std::string> nodes_of(const Topology& machine);  // "NUMA node 0: CPUs 0-3, 1 GiB"

}  // namespace rig::report
