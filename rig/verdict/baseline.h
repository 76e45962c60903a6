// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "rig/verdict/figures.h"
#include "rig/verdict/verdict.h"

namespace rig::verdict {

inline constexpr std::size_t fewest_measured = 5;  // boots a side: with fewer hardly anything can be decided
inline constexpr std::size_t fewest_modelled = 3;  // boots a side that make a range

struct Rules {
  double alpha = 0.05;
  int looks = 1;
  double margin = 0.01;
  bool aa = false;
  double confidence() const { return 1 - alpha / looks; }  // of one look's interval
};

// Every comparison with the baseline; p_holm over all that were tested, whose number goes to family.
std::vector<BaselineVerdict> against_baseline(const RunRecord& record, const FigureIndex& index, const Rules& rules,
                                              std::size_t& family);

}  // namespace rig::verdict
