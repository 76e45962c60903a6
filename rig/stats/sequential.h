// SPDX-License-Identifier: GPL-2.0-or-later
// Repeating until the figures are precise enough, without paying for it in false alarms. Figures are looked at only
// after set numbers of repetitions, each about 1.4 times the one before, and the error that is allowed is shared out
// equally among these looks (alpha spending by Bonferroni's bound, which holds for any noise and any dependence of
// the looks): whichever of them ends the repeating, all of them together err no more often than was asked.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace rig {

struct Precision {
  double ci = 0.02;          // half an interval's width, as a share of the ratio (or of the mean)
  double confidence = 0.95;  // of all looks together
  int min = 5, max = 40;     // repetitions
  bool operator==(const Precision&) const = default;
};

// The numbers of repetitions after which it is looked: min, …, max. "5, 7, 10, 14, 20, 28, 40".
std::vector<int> looks_of(const Precision& precision);

// The confidence of each look's intervals: 1 - (1 - confidence) / looks.
double confidence_of_look(const Precision& precision);

// What is repeated together: a cell, and the baseline's that it is compared with (empty: none).
struct Repeated {
  std::vector<double> candidate, baseline;
};

enum class Next {
  Repeat,  // one more
  Enough,  // precise enough
  Most,    // as many as are allowed, and not precise
};
// After so many repetitions. Repetitions that failed gave no value; where a side has fewer than two values or its
// values no spread (a small sample's accident), it goes on.
Next next_step(const Precision& precision, const std::vector<Repeated>& compared, int repetitions);

// "until ci 2 %, confidence 95 %, min 5, max 40", and back (nothing for any other text).
std::string to_text(const Precision& precision);
std::optional<Precision> parse_precision(const std::string& text);

}  // namespace rig
