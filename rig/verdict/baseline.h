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

// Where a cell of a comparison comes from.
struct Side {
  const RunRecord* record = nullptr;
  const FigureIndex* index = nullptr;
  std::string run;  // what its run is called, where the two are of two runs; else empty
  std::string name(const CellRecord& cell) const { return run.empty() ? cell.kernel : cell.kernel + " in " + run; }
};
// A cell and what it is compared with: the job, parameters and placement of both are the same.
struct Pair {
  const CellRecord *cell = nullptr, *base = nullptr;
  Side candidate, baseline;
};
// A verdict for each; p_holm over all that were tested, whose number goes to family.
std::vector<BaselineVerdict> judge_pairs(const std::vector<Pair>& pairs, const Rules& rules, std::size_t& family);

// Every comparison with the baseline; p_holm over all that were tested, whose number goes to family.
std::vector<BaselineVerdict> against_baseline(const RunRecord& record, const FigureIndex& index, const Rules& rules,
                                              std::size_t& family);

// The same with one verdict for all points of a modelled sweep in the place of the first: its range is over perturbed
// boots and over the numbers swept.
std::vector<BaselineVerdict> over_sweeps(const RunRecord& record, std::vector<BaselineVerdict> verdicts,
                                         const Rules& rules);

}  // namespace rig::verdict
