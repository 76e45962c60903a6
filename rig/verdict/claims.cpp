// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/verdict/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rig/stats/stats.h"

namespace rig::verdict {
namespace {

using Kind = ClaimVerdict::Kind;
using Of = PublishedClaim::Kind;

// One case on its way to a verdict.
struct Case {
  const ClaimCase& claim;
  std::vector<const CellRecord*> cells;
  std::vector<std::vector<double>> values;
  ClaimVerdict verdict;

  bool set(Kind kind, const std::string& reason) {
    verdict.kind = kind;
    verdict.reason = reason;
    return false;
  }
};

bool same_kernel(const Case& one) {
  return std::all_of(one.cells.begin(), one.cells.end(),
                     [&](const CellRecord* cell) { return cell->kernel == one.cells.front()->kernel; });
}

// Finds the cells; false where the case ends there.
bool find_cells(Case& one, const RunRecord& record, const FigureIndex& index, const Judging& judging,
                const ComparedJob*& job) {
  for (const auto* row : one.claim.rows) {
    const Place place = place_of(record, judging, *one.claim.table, *row);
    if (place.cell == nullptr) return one.set(place.planned ? Kind::NotComparable : Kind::NotRun, place.lack);
    if (job != nullptr && place.job != job) return one.set(Kind::NotComparable, "its cells are of different jobs");
    job = place.job;
    one.cells.push_back(place.cell);
    one.verdict.cells.push_back(place.cell->id);
    if (place.cell->kernel == row->kernel || judging.reference == std::nullopt) continue;
    const std::string note = fmt::format("{} stands for {}", place.cell->kernel, row->kernel);
    if (std::find(one.verdict.notes.begin(), one.verdict.notes.end(), note) == one.verdict.notes.end())
      one.verdict.notes.push_back(note);
  }
  for (const auto* cell : one.cells) {
    if (index.ok_repetitions(*cell) == 0)
      return one.set(Kind::NotComparable, fmt::format("{} has no figures: {}", cell->kernel, index.trouble(*cell)));
  }
  return true;
}

bool find_figures(Case& one, const FigureIndex& index) {
  const auto& metrics = one.claim.table->metrics;
  for (const auto& name : metrics) {
    const MetricRecord* metric = index.metric(one.cells.front()->job, name);
    if (metric == nullptr) continue;
    std::vector<std::vector<double>> values;
    for (const auto* cell : one.cells) {
      const Figures figures = index.of(*cell, *metric);
      if (figures.values.size() + figures.refused.size() < index.ok_repetitions(*cell)) break;  // not in every one
      if (figures.values.empty()) break;
      for (const auto& refused : figures.refused) one.verdict.notes.push_back("no figure can be so: " + refused);
      values.push_back(figures.values);
    }
    if (values.size() < one.cells.size()) continue;
    if (metric->unit != one.claim.table->unit && (name == metrics.front() || one.claim.claim->kind == Of::Difference))
      return one.set(Kind::NotComparable,
                     fmt::format("{} is in {} here, and published in {}", name, metric->unit, one.claim.table->unit));
    if (name != metrics.front())
      one.verdict.notes.push_back(
          fmt::format("by {} ({}) in place of {}, which not every cell has", name, metric->unit, metrics.front()));
    one.values = std::move(values);
    one.verdict.metric = name;
    one.verdict.unit = metric->unit;
    one.verdict.n = one.values.front().size();
    for (const auto& side : one.values) one.verdict.n = std::min(one.verdict.n, side.size());
    return true;
  }
  return one.set(Kind::NotComparable, "no metric of the table was given in every repetition");
}

// Each figure must be of one kind that can stand beside a published one, and all of it that kind's worth.
bool check_fidelity(Case& one, const RunRecord& record) {
  std::vector<Fidelity> all;
  for (const auto* cell : one.cells) all.push_back(fidelity_of(record, *cell));
  one.verdict.fidelity = all.front().kind;
  for (const auto& own : all) {
    if (own.kind == Fidelity::Kind::Unknown)
      return one.set(Kind::NotComparable, fmt::format("nothing is known of figures under '{}'", record.accelerator));
    if (own.kind == Fidelity::Kind::Functional)
      return one.set(Kind::NotComparable,
                     "functional only: figures of plain emulation are never compared with published ones");
    if (!own.basis.reasons.empty()) return one.set(Kind::NotComparable, own.basis.reasons.front());
    const Comparison comparison = compare(all.front().basis, own.basis);
    if (comparison.kind == Comparison::Kind::Refused) return one.set(Kind::NotComparable, comparison.reasons.front());
  }
  return true;
}

// What the packets crossed; the factor that ours are taken by goes to factor.
bool check_path(Case& one, const ComparedJob& job, double& factor) {
  const PublishedTable& table = *one.claim.table;
  if (table.path == job.path || table.path.empty() || job.path.empty()) return true;
  if (one.claim.claim->kind == Of::Ratio || !same_kernel(one))
    return one.set(Kind::NotComparable,
                   fmt::format("published over a {}, here over {}: only differences between placements can be compared",
                               table.path, job.path));
  if (one.claim.claim->kind == Of::Difference) {
    factor = static_cast<double>(table.crossings) / job.crossings;
    one.verdict.notes.push_back(
        fmt::format("published over a {}, here over {}: compared as a difference between placements, times {}/{} for "
                    "the crossings of a round trip",
                    table.path, job.path, table.crossings, job.crossings));
  } else {
    one.verdict.notes.push_back(fmt::format(
        "published over a {}, here over {}: only the order of placements is compared", table.path, job.path));
  }
  return true;
}

// Where the interval lies: all on one side of a point, or over it.
int side_of(const Interval& interval, double point) {
  return interval.low > point ? 1 : interval.high < point ? -1 : 0;
}

void judge_amount(Case& one, const Rules& rules, double factor) {
  ClaimVerdict& v = one.verdict;
  const bool is_ratio = one.claim.claim->kind == Of::Ratio;
  const bool measured = v.fidelity == Fidelity::Kind::Measured;
  const auto &of = one.values[0], &to = one.values[1];
  if (is_ratio) {
    const auto found = measured ? ratio(of, to, rules.confidence()) : ratio_of_perturbed(of, to);
    if (!found) return void(one.set(Kind::NotComparable, "there is no ratio of such figures"));
    v.value = found->value;
    if (found->interval) v.interval = Interval{found->interval->first, found->interval->second};
  } else {
    const auto found = difference(of, to, rules.confidence());
    v.value = found->value * factor;
    if (measured && found->interval)
      v.interval = Interval{found->interval->low * factor, found->interval->high * factor};
    const Summary a = summarize(of), b = summarize(to);
    if (!measured && v.n > 1) v.interval = Interval{(a.min - b.max) * factor, (a.max - b.min) * factor};
  }
  if (measured && v.interval) v.confidence = rules.confidence();
  const double nothing = is_ratio ? 1 : 0, published = *one.claim.published;
  const int direction = published > nothing ? 1 : -1;
  v.published = published;
  v.reach = reach_of(one.claim.claim->within, published);
  const bool inside = std::abs(*v.value - published) <= v.reach;
  if (!measured) {
    if (v.n == 1) v.notes.emplace_back("1 boot: no range");
    const bool same = side_of(v.interval.value_or(Interval{*v.value, *v.value}), nothing) == direction;
    v.kind = !same ? Kind::NotReproduced : inside ? Kind::Reproduced : Kind::SameDirection;
    if (inside && v.interval && (v.interval->low < published - v.reach || v.interval->high > published + v.reach))
      v.notes.emplace_back("the range reaches beyond what counts as reproduced");
    return;
  }
  if (v.n < fewest_measured || !v.interval) {
    v.needed = std::max(fewest_measured, v.n + 1);
    return void(one.set(Kind::Undecided, "too few repetitions"));
  }
  const double low = published - v.reach, high = published + v.reach;
  if (v.interval->low >= low && v.interval->high <= high) {
    v.kind = Kind::Reproduced;
  } else if (v.interval->high < low || v.interval->low > high) {
    v.kind = side_of(*v.interval, nothing) == direction ? Kind::SameDirection : Kind::NotReproduced;
  } else {
    one.set(Kind::Undecided, "the interval lies across the edge of what counts as reproduced");
    const double room = v.reach - std::abs(*v.value - published), half = (v.interval->high - v.interval->low) / 2;
    if (room > 0)
      v.needed =
          static_cast<std::size_t>(std::ceil(std::min(1e6, static_cast<double>(v.n) * (half / room) * (half / room)))) +
          1;
  }
}

// 1: a is below b for certain, -1: above, 0: cannot be told.
int below(const std::vector<double>& a, const std::vector<double>& b, bool measured, const Rules& rules) {
  if (!measured) {
    const Summary x = summarize(a), y = summarize(b);
    return x.max < y.min ? 1 : x.min > y.max ? -1 : 0;
  }
  const auto test = mann_whitney(a, b);
  if (test->p * rules.looks > rules.alpha) return 0;
  return shift_of(a, b)->value < 0 ? 1 : -1;
}

void judge_order(Case& one, const Rules& rules) {
  ClaimVerdict& v = one.verdict;
  const bool measured = v.fidelity == Fidelity::Kind::Measured;
  if (measured && v.n < fewest_measured) {
    v.needed = fewest_measured;
    return void(one.set(Kind::Undecided, "too few repetitions"));
  }
  if (!measured && v.n == 1) v.notes.emplace_back("1 boot: no range");
  std::vector<std::string> reversed, open;
  for (std::size_t i = 1; i < one.values.size(); ++i) {
    const int lies = below(one.values[i - 1], one.values[i], measured, rules);
    const auto& rows = one.claim.rows;
    const std::string pair = rows[i - 1]->placement.empty() || rows[i - 1]->placement == rows[i]->placement
                                 ? rows[i - 1]->kernel + " and " + rows[i]->kernel
                                 : rows[i - 1]->placement + " and " + rows[i]->placement;
    if (lies < 0) reversed.push_back(pair);
    if (lies == 0) open.push_back(pair);
  }
  const bool ends = below(one.values.front(), one.values.back(), measured, rules) > 0;
  const auto join = [](const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, "; ")); };
  if (!reversed.empty())
    one.set(ends && one.values.size() > 2 ? Kind::SameDirection : Kind::NotReproduced, "reversed: " + join(reversed));
  else if (open.empty())
    v.kind = Kind::Reproduced;
  else if (ends && one.values.size() > 2)
    one.set(Kind::SameDirection, "not told apart: " + join(open));
  else
    one.set(measured ? Kind::Undecided : Kind::NotReproduced, "not told apart: " + join(open));
  if (v.kind == Kind::Undecided) v.needed = v.n + std::max<std::size_t>(2, v.n / 2);
}

}  // namespace

std::vector<ClaimVerdict> against_reference(const RunRecord& record, const FigureIndex& index, const Judging& judging,
                                            const Rules& rules) {
  std::vector<ClaimVerdict> verdicts;
  if (!judging.reference) return verdicts;
  for (const auto& claim : cases_of(*judging.reference)) {
    Case one{claim, {}, {}, {}};
    one.verdict.claim = claim.claim->name;
    one.verdict.label = claim.label;
    one.verdict.says = claim.claim->says;
    one.verdict.of = claim.claim->kind;
    one.verdict.published = claim.published;
    if (claim.published) one.verdict.reach = reach_of(claim.claim->within, *claim.published);
    const ComparedJob* job = nullptr;
    double factor = 1;
    if (find_cells(one, record, index, judging, job) && check_fidelity(one, record) && check_path(one, *job, factor) &&
        find_figures(one, index)) {
      if (claim.claim->kind == Of::Order)
        judge_order(one, rules);
      else
        judge_amount(one, rules, factor);
    }
    verdicts.push_back(std::move(one.verdict));
  }
  return verdicts;
}

}  // namespace rig::verdict
