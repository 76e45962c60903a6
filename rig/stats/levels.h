// SPDX-License-Identifier: GPL-2.0-or-later
// Two levels of repetition: boots, and rounds inside a boot (Kalibera and Jones 2013). Rounds of one boot have its
// accidents in common: only boots are independent.
#pragma once
#include <optional>
#include <vector>

#include "rig/stats/interval.h"

namespace rig {

struct Levels {
  double mean = 0;                   // of the boots' means
  std::optional<Interval> interval;  // of that mean, from the boots' means alone
  double between = 0, within = 0;    // variances: of boots, of rounds inside one; between is not below 0
};
// One list of rounds a boot; at least two boots, and some boot with two rounds. Unequal numbers of rounds by the
// estimator of the analysis of variance.
std::optional<Levels> levels_of(const std::vector<std::vector<double>>& boots, double confidence = 0.95);

// How many rounds a boot make the most of a given time, where a boot costs so much and a round so much; at least 1,
// at most 1000 (where boots do not differ, the more the better).
int best_rounds(const Levels& levels, double boot_cost, double round_cost);

// Whether the first round of a boot stands out, so that a round of warm-up is wanted: were all rounds alike, the first
// of m would be the lowest in one boot of m.
struct FirstRounds {
  std::size_t boots = 0, lowest = 0, highest = 0;  // boots of two rounds or more; ties count for neither
  double p = 1;                                    // exact, two-sided
  bool likely() const { return p < 0.01; }
};
FirstRounds first_rounds(const std::vector<std::vector<double>>& boots);

}  // namespace rig
