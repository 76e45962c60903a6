// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/verdict/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "rig/stats/flags.h"
#include "rig/stats/power.h"
#include "rig/stats/stats.h"

namespace rig::verdict {
namespace {

using Kind = BaselineVerdict::Kind;

struct Compared {
  BaselineVerdict verdict;
  Figures candidate, baseline;
  bool real_time = false;  // judged by tests, where there are enough figures
  bool tested = false;
};

void add_flags(const std::string& side, const Figures& figures, std::vector<std::string>& flags) {
  for (const auto& refused : figures.refused)
    flags.push_back(fmt::format("{}: no figure can be so, and it is not counted: {}", side, refused));
  const Drift drift = drift_of(figures.in_order);
  if (drift.likely())
    flags.push_back(fmt::format("{}: figures {} in the order of the run (Kendall's tau {:+.2f}, p {:.2g})", side,
                                drift.tau > 0 ? "rise" : "fall", drift.tau, drift.p));
  const auto outliers = outliers_of(figures.values);
  if (!outliers.empty())
    flags.push_back(fmt::format("{}: {} of {} boots far from the others, counted all the same", side, outliers.size(),
                                figures.values.size()));
}

// The first metric of the job, the headline before others, that every ok repetition of both sides has.
const MetricRecord* metric_of_both(const Pair& pair) {
  std::vector<const MetricRecord*> metrics;
  for (const auto& metric : pair.baseline.record->metrics) {
    if (metric.job == pair.cell->job) metrics.push_back(&metric);
  }
  std::stable_sort(metrics.begin(), metrics.end(),
                   [](const auto* a, const auto* b) { return a->headline > b->headline; });
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricRecord* metric) {
    return pair.candidate.index->gives(*pair.cell, metric->metric) &&
           pair.baseline.index->gives(*pair.base, metric->metric);
  });
  return found == metrics.end() ? nullptr : *found;
}

Compared gather(const Pair& pair, const Rules& rules) {
  Compared one;
  BaselineVerdict& v = one.verdict;
  v.cell = pair.cell->id;
  v.baseline = pair.base->id;
  v.margin = rules.margin;
  const std::pair<const CellRecord*, const Side*> sides[] = {{pair.base, &pair.baseline}, {pair.cell, &pair.candidate}};
  for (const auto& [cell, side] : sides) {
    if (side->index->ok_repetitions(*cell) > 0) continue;
    v.kind = Kind::NotComparable;
    v.reason = fmt::format("{} has no figures: {}", side->name(*cell), side->index->trouble(*cell));
    return one;
  }
  const MetricRecord* metric = metric_of_both(pair);
  if (metric == nullptr) {
    v.kind = Kind::NotComparable;
    v.reason = "no metric was given in every repetition of both";
    return one;
  }
  v.metric = metric->metric;
  v.unit = metric->unit;
  v.higher_is_better = metric->higher_is_better;
  v.rank_only = metric->metric.starts_with("max");
  one.candidate = pair.candidate.index->of(*pair.cell, *metric);
  one.baseline = pair.baseline.index->of(*pair.base, *metric);
  v.n = one.candidate.values.size();
  v.n_baseline = one.baseline.values.size();
  add_flags(pair.candidate.name(*pair.cell), one.candidate, v.flags);
  add_flags(pair.baseline.name(*pair.base), one.baseline, v.flags);
  return one;
}

void decide(BaselineVerdict& v, bool more) { v.kind = more == v.higher_is_better ? Kind::Better : Kind::Worse; }

// Boots a side that would tell a difference of the margin, were this comparison the last of Holm's.
std::size_t needed_for(const Compared& one, const Rules& rules, std::size_t family) {
  const double alpha = rules.alpha / rules.looks / static_cast<double>(std::max<std::size_t>(1, family));
  std::size_t needed = fewest_measured;
  while (needed < 100 && least_rank_p(needed) > alpha) ++needed;
  const auto by_spread = needed_after(one.candidate.values, one.baseline.values, rules.margin, alpha);
  return std::max(needed, by_spread.value_or(0));
}

// What perturbed boots of a model give: ranges, and no probability of anything.
void judge_modelled(Compared& one, const Rules& rules) {
  BaselineVerdict& v = one.verdict;
  v.ratio = ratio_of_perturbed(one.candidate.values, one.baseline.values);
  const bool alike = one.candidate.values == one.baseline.values && v.n > 0 && one.candidate.refused.empty() &&
                     one.baseline.refused.empty();
  if (alike) v.flags.emplace_back("alike to the last digit in every boot");
  if (!v.ratio || std::min(v.n, v.n_baseline) < fewest_modelled || !v.ratio->interval) {
    v.reason = fmt::format("{} boot{} a side: a range takes {}", std::min(v.n, v.n_baseline),
                           std::min(v.n, v.n_baseline) == 1 ? "" : "s", fewest_modelled);
    v.needed = fewest_modelled;
    return;
  }
  if (alike && !rules.aa) {       // of a kernel against itself the range is what is asked
    v.kind = Kind::NoDifference;  // boot by boot the same, as the same guests are: their range is not their difference
    v.within = 0;
    v.ratio->interval = {1.0, 1.0};
    return;
  }
  const auto [low, high] = *v.ratio->interval;
  const double reach = std::max(std::abs(low - 1), std::abs(high - 1));
  if (!v.rank_only && reach <= rules.margin) {
    v.kind = Kind::NoDifference;
    v.within = reach;
  } else if (low > 1 || high < 1) {
    decide(v, low > 1);
  } else {
    v.reason = "the range of ratios includes 1; more boots could only widen it";
  }
}

void judge_measured(Compared& one, const Rules& rules, std::size_t family) {
  BaselineVerdict& v = one.verdict;
  const auto undecided = [&](const std::string& reason) {
    v.reason = reason;
    v.needed = std::max(needed_for(one, rules, family), std::max(v.n, v.n_baseline) + 1);
  };
  if (!one.tested) return undecided("too few repetitions");
  const bool found = *v.p_holm <= rules.alpha;
  if (!v.rank_only && v.ratio) {
    // Without any spread there is no interval; figures all alike differ by nothing or by what the ranks say.
    const auto [low, high] = v.ratio->interval.value_or(std::pair{v.ratio->value, v.ratio->value});
    const double reach = std::max(std::abs(low - 1), std::abs(high - 1));
    const bool known = v.ratio->interval || v.ratio->value == 1;
    if (known && reach <= rules.margin) {
      v.kind = Kind::NoDifference;
      v.within = reach;
      return;
    }
  }
  if (!found) {
    return undecided(v.rank_only ? "ranks do not tell the two apart"
                                 : "the two are not told apart, nor is a difference of the margin ruled out");
  }
  const bool more = v.shift->value > 0;
  if (!v.rank_only && v.ratio && v.ratio->value != 1 && (v.ratio->value > 1) != more)
    return undecided("ranks and means point in opposite directions: look at the figures");
  if (v.shift->value == 0) return undecided("the two differ in their spread rather than in their middle");
  decide(v, more);
}

}  // namespace

std::vector<BaselineVerdict> judge_pairs(const std::vector<Pair>& pairs, const Rules& rules, std::size_t& family) {
  std::vector<Compared> all;
  for (const auto& pair : pairs) {
    all.push_back(gather(pair, rules));
    Compared& one = all.back();
    BaselineVerdict& v = one.verdict;
    const Fidelity a = fidelity_of(*pair.candidate.record, *pair.cell), b = fidelity_of(*pair.baseline.record, *pair.base);
    v.fidelity = a.kind == b.kind ? a.kind : Fidelity::Kind::Unknown;
    if (v.kind == Kind::NotComparable) continue;
    const std::string& accelerator = pair.candidate.record->accelerator;
    const bool virtual_time = accelerator == "tcg" || v.fidelity == Fidelity::Kind::Modelled;
    const bool for_noise = rules.aa && v.fidelity == Fidelity::Kind::Functional;
    const Comparison comparison = compare(b.basis, a.basis);
    if (a.kind == b.kind && v.fidelity == Fidelity::Kind::Unknown) {
      v.kind = Kind::NotComparable;
      v.reason = fmt::format("nothing is known of figures under '{}'", accelerator);
    } else if (comparison.kind == Comparison::Kind::Refused) {
      v.kind = Kind::NotComparable;
      v.reason = fmt::format("{}", fmt::join(comparison.reasons, "; "));
    } else if (v.fidelity == Fidelity::Kind::Functional && !for_noise) {
      v.kind = Kind::NotComparable;
      v.reason = "functional only: figures of plain emulation say nothing of any hardware";
    } else if (virtual_time) {
      judge_modelled(one, rules);
    } else {
      v.ratio = v.rank_only ? std::nullopt : ratio(one.candidate.values, one.baseline.values, rules.confidence());
      if (v.ratio && v.ratio->interval) v.confidence = rules.confidence();
      one.tested = std::min(v.n, v.n_baseline) >= fewest_measured;
      v.shift = shift_of(one.candidate.values, one.baseline.values, rules.confidence());
      one.real_time = true;  // decided below, once all tests of the matrix are known
      if (one.tested) v.p = std::min(1.0, rules.looks * mann_whitney(one.candidate.values, one.baseline.values)->p);
    }
  }
  std::vector<double> p;
  for (const auto& one : all) {
    if (one.tested) p.push_back(*one.verdict.p);
  }
  family = p.size();
  const auto adjusted = holm(p);
  const auto planned = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const Compared& one) { return one.real_time; }));
  std::size_t next = 0;
  std::vector<BaselineVerdict> verdicts;
  for (auto& one : all) {
    if (one.tested) one.verdict.p_holm = adjusted[next++];
    if (one.real_time) judge_measured(one, rules, planned);
    verdicts.push_back(std::move(one.verdict));
  }
  return verdicts;
}

std::vector<BaselineVerdict> against_baseline(const RunRecord& record, const FigureIndex& index,
                                              const Rules& rules, std::size_t& family) {
  using Key = std::tuple<std::string, std::string, std::map<std::string, std::string>, std::string>;
  const auto key_of = [](const CellRecord& cell) {
    return Key{cell.topology, cell.job, cell.parameters, cell.placement};
  };
  std::map<Key, const CellRecord*> baselines;
  for (const auto& cell : record.cells) {
    if (cell.kernel == record.baseline) baselines.try_emplace(key_of(cell), &cell);
  }
  std::vector<Pair> pairs;
  for (const auto& cell : record.cells) {
    if (cell.kernel == record.baseline) continue;
    const auto base = baselines.find(key_of(cell));
    if (base == baselines.end()) continue;
    pairs.push_back({&cell, base->second, {&record, &index, ""}, {&record, &index, ""}});
  }
  return over_sweeps(record, judge_pairs(pairs, rules, family), rules);
}

}  // namespace rig::verdict
