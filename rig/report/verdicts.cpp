// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/report/section.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

constexpr std::size_t verdict_width = 16;  // "not comparable" and two blanks

// The words beside a verdict, all lines of them below each other.
std::string entry(const std::string& verdict, const std::string& text, std::size_t width) {
  constexpr std::size_t before = 4 + verdict_width;
  std::string out = fmt::format("    {:<{}}", verdict, verdict_width);
  for (const char c : wrap(text, width - std::min(width / 2, before), 0)) {
    out += c;
    if (c == '\n') out += std::string(before, ' ');
  }
  return out + "\n";
}

// What several entries say alike, told once below them.
class Footnotes {
 public:
  std::string mark(const std::string& note) {
    const auto at = static_cast<std::size_t>(std::find(notes_.begin(), notes_.end(), note) - notes_.begin());
    if (at == notes_.size()) notes_.push_back(note);
    return fmt::format(" ({})", at + 1);
  }
  std::string text(std::size_t width) const {
    std::string out;
    for (std::size_t i = 0; i < notes_.size(); ++i)
      out += entry("", fmt::format("({}) {}", i + 1, printable(notes_[i])), width);
    return out;
  }

 private:
  std::vector<std::string> notes_;
};

std::string boots(std::size_t n) { return fmt::format("{} boot{}", n, n == 1 ? "" : "s"); }

// "tbench, 2 clients" without the parameters that all cells share would need a section: all of them are told.
// Of a sweep, on the machine that is swept.
std::string cell_text(const RunRecord& record, const std::string& id, const std::string& family) {
  const auto cell =
      std::find_if(record.cells.begin(), record.cells.end(), [&](const auto& one) { return one.id == id; });
  if (cell == record.cells.end()) return printable(id);
  CellRecord named = *cell;
  if (!family.empty()) named.topology = family;
  return name_of(named);
}

std::string baseline_entry(const RunRecord& record, const BaselineVerdict& v, std::size_t width) {
  std::string text = cell_text(record, v.cell, v.family);
  if (!v.metric.empty()) text += ": " + printable(v.metric);
  if (v.ratio) {
    text += fmt::format(" {:.3f}", v.ratio->value);
    if (v.ratio->interval)
      text += fmt::format(" [{:.3f}, {:.3f}]", v.ratio->interval->first, v.ratio->interval->second);
  }
  if (v.points > 0) text += fmt::format(" over {} points of a sweep", v.points);
  if (v.within) text += ", none beyond " + percent(*v.within);
  if (v.n > 0 || v.n_baseline > 0)
    text += v.n == v.n_baseline ? ", " + boots(v.n) : fmt::format(", {} against {}", boots(v.n), v.n_baseline);
  if (v.p_holm) text += fmt::format(", p {:.2g}", *v.p_holm);
  if (v.rank_only) text += ", a maximum: by rank only";
  if (!v.reason.empty()) text += "; " + printable(v.reason);
  if (v.needed)
    text += *v.needed >= 1000000 ? "; no number of boots would tell it"
                                 : fmt::format("; {} a side would do for {}", boots(*v.needed), percent(v.margin));
  std::string out = entry(to_string(v.kind), text, width);
  for (const auto& flag : v.flags) out += entry("", printable(flag), width);
  return out;
}

std::string amount(const ClaimVerdict& v, double value) {
  return v.of == PublishedClaim::Kind::Ratio ? fmt::format("{:.3f}", value) : fmt::format("{:+.2f}", value);
}

std::string claim_entry(const ClaimVerdict& v, Footnotes& notes, std::size_t width) {
  std::string text = printable(v.claim) + (v.label.empty() ? "" : " (" + printable(v.label) + ")");
  const std::string unit = v.of == PublishedClaim::Kind::Difference && !v.unit.empty() ? " " + printable(v.unit) : "";
  if (v.published && v.value) {
    text += fmt::format(": published {} (give or take {:.3g}); here {}{}", amount(v, *v.published), v.reach,
                        amount(v, *v.value), unit);
    if (v.interval) text += fmt::format(" [{}, {}]", amount(v, v.interval->low), amount(v, v.interval->high));
  }
  if (v.n > 0) text += ", " + boots(v.n);
  if (!v.reason.empty()) text += "; " + printable(v.reason);
  if (v.needed) text += fmt::format("; {} a side would do", boots(*v.needed));
  for (const auto& note : v.notes) text += notes.mark(note);
  return entry(to_string(v.kind), text, width) + entry("", "\"" + printable(v.says) + "\"", width);
}

// What the figures of these verdicts are, once for all where they are alike.
template <class Verdict>
std::string fidelity_words(const std::vector<Verdict>& verdicts) {
  std::set<Fidelity::Kind> kinds;
  for (const auto& one : verdicts) {
    if (one.fidelity != Fidelity::Kind::Unknown) kinds.insert(one.fidelity);
  }
  if (kinds.size() != 1) return "";
  if (*kinds.begin() == Fidelity::Kind::Modelled) return "; modelled: ranges over perturbed boots, no probabilities";
  return "; " + to_string(*kinds.begin());
}

std::string baseline_text(const RunRecord& record, const Verdicts& verdicts, std::size_t width) {
  if (verdicts.baseline.empty()) return "";
  std::string title = "against " + printable(record.baseline) + fidelity_words(verdicts.baseline);
  if (verdicts.family > 0) {
    title += fmt::format("; all of them together err in at most {}, by exact ranks and Holm over {} comparison{}",
                         percent(verdicts.alpha), verdicts.family, verdicts.family == 1 ? "" : "s");
    if (verdicts.looks > 1) title += fmt::format(" and a share for each of {} looks", verdicts.looks);
  }
  std::string out = "  " + wrap(title, width - 2, 4) + "\n";
  std::size_t functional = 0;
  for (const auto& one : verdicts.baseline) {
    const bool told = one.kind != BaselineVerdict::Kind::NotComparable || one.fidelity != Fidelity::Kind::Functional ||
                      one.metric.empty();
    functional += !told;
    if (told) out += baseline_entry(record, one, width);
  }
  if (functional > 0)
    out += entry(to_string(BaselineVerdict::Kind::NotComparable),
                 fmt::format("{} comparison{}: functional only, figures of plain emulation say nothing of any hardware",
                             functional, functional == 1 ? "" : "s"),
                 width);
  return out;
}

std::string claims_text(const Verdicts& verdicts, const Judging& judging, std::size_t width) {
  if (!judging.reference || verdicts.claims.empty()) return "";
  const Reference& reference = *judging.reference;
  std::string out = "  " +
                    wrap(fmt::format("against {} ({}, {}){}", printable(reference.name), printable(reference.author),
                                     printable(reference.date), fidelity_words(verdicts.claims)),
                         width - 2, 4) +
                    "\n";
  Footnotes notes;
  std::vector<std::string> run, absent;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& one : verdicts.claims) {
    if (one.kind == ClaimVerdict::Kind::NotRun) continue;
    add(run, one.claim);
    out += claim_entry(one, notes, width);
  }
  for (const auto& one : verdicts.claims) {
    if (std::find(run.begin(), run.end(), one.claim) == run.end()) add(absent, one.claim);
  }
  std::string names;
  for (const auto& name : absent) names += (names.empty() ? "" : ", ") + printable(name);
  if (!names.empty()) out += entry(to_string(ClaimVerdict::Kind::NotRun), names, width);
  return out + notes.text(width);
}

std::string check_text(const Verdicts& verdicts, std::size_t width) {
  if (!verdicts.check.asked) return "";
  if (verdicts.check.holds()) return "  check: holds\n";
  std::string out = "  check: does not hold\n";
  for (const auto& reason : verdicts.check.reasons) out += "    " + wrap(printable(reason), width - 4, 6) + "\n";
  return out;
}

}  // namespace

std::string verdicts_text(const RunRecord& record, const Verdicts& verdicts, const Judging& judging,
                          std::size_t width) {
  std::string out = baseline_text(record, verdicts, width) + claims_text(verdicts, judging, width);
  if (verdicts.floor)
    out += "  " +
           wrap(fmt::format("noise floor: of the same kernel under two names no ratio reaches further than {} from 1",
                            percent(*verdicts.floor)),
                width - 2, 4) +
           "\n";
  out += check_text(verdicts, width);
  return out.empty() ? "" : "\nVerdicts\n" + out;
}

}  // namespace rig::report
