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

std::string name_of(const RunRecord& record, const std::string& id) {
  const auto cell =
      std::find_if(record.cells.begin(), record.cells.end(), [&](const CellRecord& one) { return one.id == id; });
  if (cell == record.cells.end()) return id;
  std::string text = cell->kernel + ", " + cell->job;
  for (const auto& [name, value] : cell->parameters) text += fmt::format(" {}={}", name, value);
  if (!cell->placement.empty()) text += " " + cell->placement;
  return text + " on " + cell->topology;
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
    verdicts.check.reasons.push_back(fmt::format("{}: {}{}", name_of(record, one.cell), to_string(one.kind),
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

Verdicts verdicts_of(const RunRecord& record, const Judging& judging) {
  const verdict::FigureIndex index(record);
  Verdicts verdicts;
  verdict::Rules rules;
  rules.margin = judging.margin;
  verdicts.aa = rules.aa = !environment_of(record, "aa").empty();
  if (const auto precision = parse_precision(environment_of(record, "repeat"))) {
    rules.alpha = verdicts.alpha = 1 - precision->confidence;
    rules.looks = verdicts.looks = static_cast<int>(looks_of(*precision).size());
  }
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
        verdicts.check.reasons.push_back(name_of(record, one.cell) + ": a kernel was told from itself");
    }
  } else if (judging.check) {
    verdicts.check.asked = true;
    check_claims(record, *judging.check, verdicts);
    check_baseline(record, judging.check->baseline, verdicts);
  }
  return verdicts;
}

}  // namespace rig
