// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/verdict/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rig/stats/sequential.h"
#include "rig/verdict/baseline.h"
#include "rig/verdict/claims.h"

namespace rig {
namespace {

std::string environment_of(const RunRecord& record, const char* key) {
  const auto found = record.environment.find(key);
  return found == record.environment.end() ? "" : found->second;
}

// family: of a sweep judged as a whole, its machine.
std::string name_of(const RunRecord& record, const std::string& id, const std::string& family = "") {
  const auto cell =
      std::find_if(record.cells.begin(), record.cells.end(), [&](const CellRecord& one) { return one.id == id; });
  if (cell == record.cells.end()) return id;
  std::string text = cell->kernel + ", " + cell->job;
  for (const auto& [name, value] : cell->parameters) text += fmt::format(" {}={}", name, value);
  if (!cell->placement.empty()) text += " " + cell->placement;
  return text + " on " + (family.empty() ? cell->topology : family);
}

void check_claims(const RunRecord& record, const CheckRules& rules, Verdicts& verdicts) {
  using Kind = ClaimVerdict::Kind;
  std::size_t judged = 0;
  for (const auto& [name, least] : rules.claims) {
    for (const auto& claim : verdicts.claims) {
      if (claim.claim != name) continue;
      const bool chosen_out = !environment_of(record, "only").empty() || rules.every_claim;
      if (claim.kind == Kind::NotRun && (chosen_out || !claim.label.empty())) continue;
      ++judged;
      const bool reached =
          claim.kind == Kind::Reproduced || (claim.kind == Kind::SameDirection && least == LeastClaim::SameDirection);
      if (reached) continue;
      verdicts.check.reasons.push_back(fmt::format(
          "claim {}{}: {}{}", name, claim.label.empty() ? "" : " (" + claim.label + ")", to_string(claim.kind),
          claim.reason.empty()
              ? fmt::format(", asked is {}", least == LeastClaim::Reproduced ? "reproduced" : "same direction")
              : ": " + claim.reason));
    }
  }
  if (judged == 0 && !rules.claims.empty())
    verdicts.check.reasons.emplace_back("the run has none of the cells that the claims speak of");
}

void check_baseline(const RunRecord& record, BaselineRule rule, Verdicts& verdicts) {
  using Kind = BaselineVerdict::Kind;
  if (rule == BaselineRule::None) return;
  for (const auto& one : verdicts.baseline) {
    const bool holds = rule == BaselineRule::Decided
                           ? one.kind == Kind::Better || one.kind == Kind::Worse || one.kind == Kind::NoDifference
                           : one.kind != Kind::Worse && one.kind != Kind::NotComparable;
    if (holds) continue;
    const std::string name = name_of(record, one.cell, one.family);
    verdicts.check.reasons.push_back(fmt::format("{}: {}{}", name, to_string(one.kind),
                                                 one.reason.empty() ? " than " + record.baseline : ": " + one.reason));
  }
}

}  // namespace

std::string to_string(Fidelity::Kind kind) {
  switch (kind) {
    case Fidelity::Kind::Functional:
      return "functional";
    case Fidelity::Kind::Modelled:
      return "modelled";
    case Fidelity::Kind::Measured:
      return "measured";
    case Fidelity::Kind::Unknown:
      break;
  }
  return "unknown";
}

std::string to_string(BaselineVerdict::Kind kind) {
  switch (kind) {
    case BaselineVerdict::Kind::Better:
      return "better";
    case BaselineVerdict::Kind::Worse:
      return "worse";
    case BaselineVerdict::Kind::NoDifference:
      return "no difference";
    case BaselineVerdict::Kind::Undecided:
      return "undecided";
    case BaselineVerdict::Kind::NotComparable:
      break;
  }
  return "not comparable";
}

std::string to_string(ClaimVerdict::Kind kind) {
  switch (kind) {
    case ClaimVerdict::Kind::Reproduced:
      return "reproduced";
    case ClaimVerdict::Kind::SameDirection:
      return "same direction";
    case ClaimVerdict::Kind::NotReproduced:
      return "not reproduced";
    case ClaimVerdict::Kind::Undecided:
      return "undecided";
    case ClaimVerdict::Kind::NotComparable:
      return "not comparable";
    case ClaimVerdict::Kind::NotRun:
      break;
  }
  return "not run";
}

Fidelity fidelity_of(const RunRecord& record) {
  if (record.accelerator == "kvm") return {Fidelity::Kind::Measured};
  if (record.accelerator == "model") return {Fidelity::Kind::Modelled};
  if (record.accelerator == "tcg" || record.accelerator == "tcg-mt") return {Fidelity::Kind::Functional};
  return {};
}

Fidelity fidelity_of(const RunRecord& record, const CellRecord& cell) {
  Fidelity fidelity = fidelity_of(record);
  fidelity.basis = basis_of(record, cell.id);
  if (fidelity.kind == Fidelity::Kind::Unknown) return fidelity;
  using enum BasisKind;
  fidelity.kind = fidelity.basis.kind == Measured   ? Fidelity::Kind::Measured
                  : fidelity.basis.kind == Modelled ? Fidelity::Kind::Modelled
                                                    : Fidelity::Kind::Functional;
  return fidelity;
}

namespace {

verdict::Rules rules_of(const RunRecord& record, const Judging& judging) {
  verdict::Rules rules;
  rules.margin = judging.margin;
  rules.aa = !environment_of(record, "aa").empty();
  if (const auto precision = parse_precision(environment_of(record, "repeat"))) {
    rules.alpha = 1 - precision->confidence;
    rules.looks = static_cast<int>(looks_of(*precision).size());
  }
  return rules;
}

}  // namespace

RunsCompared verdicts_between(const RunRecord& a, const std::string& name_a, const Judging& judging_a,
                              const RunRecord& b, const std::string& name_b, const Judging& judging_b,
                              const std::vector<std::pair<const CellRecord*, const CellRecord*>>& pairs) {
  verdict::Rules rules = rules_of(a, judging_a);
  const verdict::Rules others = rules_of(b, judging_b);
  rules.margin = std::min(rules.margin, others.margin);
  rules.alpha = std::min(rules.alpha, others.alpha);
  rules.looks = std::max(rules.looks, others.looks);
  rules.aa = false;
  const verdict::FigureIndex index_a(a), index_b(b);
  std::vector<verdict::Pair> compared;
  for (const auto& [first, second] : pairs)
    compared.push_back({second, first, {&b, &index_b, name_b}, {&a, &index_a, name_a}});
  RunsCompared out;
  out.alpha = rules.alpha;
  out.looks = rules.looks;
  out.verdicts = verdict::judge_pairs(compared, rules, out.family);
  return out;
}

Verdicts verdicts_of(const RunRecord& record, const Judging& judging) {
  const verdict::FigureIndex index(record);
  Verdicts verdicts;
  const verdict::Rules rules = rules_of(record, judging);
  verdicts.aa = rules.aa;
  verdicts.alpha = rules.alpha;
  verdicts.looks = rules.looks;
  verdicts.baseline = verdict::against_baseline(record, index, rules, verdicts.family);
  verdicts.claims = verdict::against_reference(record, index, judging, rules);
  verdicts.beside = verdict::beside_published(record, index, judging);
  for (const auto& one : verdicts.baseline) {
    if (!verdicts.aa || !one.ratio || !one.ratio->interval) continue;
    const auto [low, high] = *one.ratio->interval;
    verdicts.floor = std::max(verdicts.floor.value_or(0), std::max(std::abs(low - 1), std::abs(high - 1)));
  }
  if (verdicts.aa) {
    verdicts.check.asked = true;
    for (const auto& one : verdicts.baseline) {
      if (one.kind == BaselineVerdict::Kind::Better || one.kind == BaselineVerdict::Kind::Worse)
        verdicts.check.reasons.push_back(name_of(record, one.cell, one.family) + ": a kernel was told from itself");
    }
    const bool virtual_time = record.accelerator == "model" || record.accelerator == "tcg";
    const std::size_t fewest = virtual_time ? verdict::fewest_modelled : verdict::fewest_measured;
    if (std::none_of(verdicts.baseline.begin(), verdicts.baseline.end(),
                     [&](const BaselineVerdict& one) { return std::min(one.n, one.n_baseline) >= fewest; }))
      verdicts.check.reasons.push_back(fmt::format("too few boots to tell any noise: ask for {} at least", fewest));
  } else if (judging.check) {
    verdicts.check.asked = true;
    check_claims(record, *judging.check, verdicts);
    check_baseline(record, judging.check->baseline, verdicts);
  }
  return verdicts;
}

}  // namespace rig
