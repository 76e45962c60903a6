// SPDX-License-Identifier: GPL-2.0-or-later
// Which cells of two runs may be compared, and why others may not.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "rig/report/compare.h"
#include "rig/report/section.h"

namespace rig::report {

struct CellPair {
  const CellRecord *a = nullptr, *b = nullptr;
};

struct Pairs {
  std::vector<std::pair<std::string, std::string>> kernels;  // paired under different names
  std::vector<CellPair> cells;                               // in a's order
  std::vector<std::string> refused;                          // a sentence each; printable
};

// Why the runs as wholes cannot be compared; empty where they can.
std::string refusal_of(const ComparedRun& a, const ComparedRun& b);
Pairs pairs_of(const ComparedRun& a, const ComparedRun& b);

}  // namespace rig::report
