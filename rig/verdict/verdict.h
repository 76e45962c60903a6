// SPDX-License-Identifier: GPL-2.0-or-later
// What a run's figures come to, as values: each cell against the baseline's, and each published claim against the
// cells that it speaks of. Pure; docs/statistics.md tells how. rig/run/judge.h is another matter: whether an
// attempt counts at all.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rig/record/record.h"
#include "rig/reference/reference.h"
#include "rig/stats/basis.h"
#include "rig/stats/interval.h"
#include "rig/stats/rank.h"

namespace rig {

// How far a cell's figures can be trusted.
struct Fidelity {
  enum class Kind { Functional, Modelled, Measured, Unknown };
  Kind kind = Kind::Unknown;
  Basis basis = {};  // of a cell
};
std::string to_string(Fidelity::Kind kind);  // "functional"

// By the run's accelerator alone; Unknown for one that is none of rig's (a mixture).
Fidelity fidelity_of(const RunRecord& record);
// By what its attempts recorded as well.
Fidelity fidelity_of(const RunRecord& record, const CellRecord& cell);

struct BaselineVerdict {
  enum class Kind { Better, Worse, NoDifference, Undecided, NotComparable };
  Kind kind = Kind::Undecided;
  std::string cell, baseline;  // ids
  std::string metric, unit;    // the job's first that every ok repetition of both has
  bool higher_is_better = true;
  bool rank_only = false;  // a maximum: no ratio is judged
  Fidelity::Kind fidelity = Fidelity::Kind::Unknown;
  // Of a modelled sweep judged as a whole: how many points, and the machine that is swept; cell and baseline are the
  // first point's. Else 0 and empty.
  std::size_t points = 0;
  std::string family;
  std::size_t n = 0, n_baseline = 0;  // repetitions with a figure, of a sweep the fewest
  std::optional<Ratio> ratio;         // candidate / baseline: interval of measured, range of modelled figures
  double confidence = 0;              // of that interval; 0: a range, or none
  std::optional<Shift> shift;         // Hodges and Lehmann's, in the metric's unit; measured only
  std::optional<double> p, p_holm;    // exact by ranks, times the looks; then over the matrix; measured only
  double margin = 0;                  // differences below it are called none
  std::optional<double> within;       // NoDifference: none beyond this share
  std::optional<std::size_t> needed;  // Undecided: boots a side that would tell a difference of the margin
  std::string reason;                 // Undecided, NotComparable: why; printable only after escaping
  std::vector<std::string> flags;     // drift, outliers, refused figures; nothing was dropped for the first two
};
std::string to_string(BaselineVerdict::Kind kind);  // "no difference"

struct ClaimVerdict {
  enum class Kind { Reproduced, SameDirection, NotReproduced, Undecided, NotComparable, NotRun };
  Kind kind = Kind::NotRun;
  std::string claim, label, says;  // label: the published kernel of this case, may be empty
  PublishedClaim::Kind of = PublishedClaim::Kind::Ratio;
  std::vector<std::string> cells;  // ids, as the claim's cells; empty where there are none
  std::string metric, unit;        // of ours; unit of a difference
  Fidelity::Kind fidelity = Fidelity::Kind::Unknown;
  std::optional<double> published;   // from raw figures; absent for an order
  double reach = 0;                  // published ± reach counts as reproduced
  std::optional<double> value;       // ours, as the claim has it
  std::optional<Interval> interval;  // of measured figures at confidence, the range of modelled ones
  double confidence = 0;             // 0: a range
  std::size_t n = 0;                 // the fewest boots of its cells
  std::optional<std::size_t> needed;
  std::string reason;              // where it is undecided, not comparable or not run
  std::vector<std::string> notes;  // "debian-6.1 stands for 2.6.30-rc3"
};
std::string to_string(ClaimVerdict::Kind kind);  // "same direction"

// A published row and the cell that stands beside it; pointers are into the judging and the record.
struct Beside {
  const PublishedTable* table = nullptr;
  const PublishedRow* row = nullptr;
  const ComparedJob* job = nullptr;
  const CellRecord* cell = nullptr;  // null: not in the run
  std::string metric, unit;
  std::vector<double> values;  // one a repetition
  Fidelity::Kind fidelity = Fidelity::Kind::Unknown;
};

struct CheckOutcome {
  bool asked = false;                // the matrix has rules
  std::vector<std::string> reasons;  // why it does not hold; empty where it does
  bool holds() const { return reasons.empty(); }
};

struct Verdicts {
  std::vector<BaselineVerdict> baseline;  // in the plan's order, the baseline's own cells left out
  std::vector<ClaimVerdict> claims;       // in the reference's order
  std::vector<Beside> beside;             // rows for which the run has a kernel, in the reference's order
  CheckOutcome check;
  double alpha = 0.05;          // of all better and worse together
  int looks = 1;                // that the error was shared out among
  std::size_t family = 0;       // comparisons that Holm's adjustment was made over
  bool aa = false;              // the baseline against itself
  std::optional<double> floor;  // of such a run: the furthest that any interval or range reaches from 1
};
// Two runs' cells side by side, the first of each pair taken for the baseline.
struct RunsCompared {
  std::vector<BaselineVerdict> verdicts;  // as the pairs; .baseline is a cell of a, .cell one of b
  double alpha = 0.05;
  int looks = 1;
  std::size_t family = 0;
};
// By the stricter of the two runs' rules: the smaller margin and error, the more looks. The names are for messages.
RunsCompared verdicts_between(const RunRecord& a, const std::string& name_a, const Judging& judging_a,
                              const RunRecord& b, const std::string& name_b, const Judging& judging_b,
                              const std::vector<std::pair<const CellRecord*, const CellRecord*>>& pairs);

// The judging must outlive what is given.
Verdicts verdicts_of(const RunRecord& record, const Judging& judging);

}  // namespace rig
