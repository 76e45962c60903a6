// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts as tables.
#include <fmt/format.h>

#include <algorithm>

#include "rig/report/cell_state.h"
#include "rig/report/document.h"
#include "rig/report/words.h"

namespace rig::report {
namespace {

Mark mark_of(BaselineVerdict::Kind kind) {
  switch (kind) {
    case BaselineVerdict::Kind::Better:
      return Mark::Good;
    case BaselineVerdict::Kind::Worse:
      return Mark::Bad;
    case BaselineVerdict::Kind::NoDifference:
      return Mark::None;
    case BaselineVerdict::Kind::Undecided:
    case BaselineVerdict::Kind::NotComparable:
      break;
  }
  return Mark::Unsure;
}

Mark mark_of(ClaimVerdict::Kind kind) {
  switch (kind) {
    case ClaimVerdict::Kind::Reproduced:
      return Mark::Good;
    case ClaimVerdict::Kind::NotReproduced:
      return Mark::Bad;
    case ClaimVerdict::Kind::SameDirection:
      return Mark::None;
    case ClaimVerdict::Kind::Undecided:
    case ClaimVerdict::Kind::NotComparable:
    case ClaimVerdict::Kind::NotRun:
      break;
  }
  return Mark::Unsure;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

std::string n_text(std::size_t n, std::size_t other) {
  return n == other ? std::to_string(n) : fmt::format("{} against {}", n, other);
}

std::string ratio_words(const BaselineVerdict& v) { return v.ratio ? fmt::format("{:.3f}", v.ratio->value) : ""; }

std::string interval_words(const BaselineVerdict& v) {
  if (!v.ratio || !v.ratio->interval) return "";
  return fmt::format("[{:.3f}, {:.3f}]", v.ratio->interval->first, v.ratio->interval->second);
}

std::string remarks(const BaselineVerdict& v) {
  std::vector<std::string> parts;
  if (v.points > 0) parts.push_back(fmt::format("over {} points of a sweep", v.points));
  if (v.within) parts.push_back("none beyond " + percent(*v.within));
  if (v.rank_only) parts.emplace_back("a maximum: by rank only");
  if (!v.reason.empty()) parts.push_back(printable(v.reason));
  if (v.needed)
    parts.push_back(*v.needed >= 1000000
                        ? std::string("no number of boots would tell it")
                        : fmt::format("{} boots a side would do for {}", *v.needed, percent(v.margin)));
  for (const auto& flag : v.flags) parts.push_back(printable(flag));
  return joined(parts);
}

// "tcp-rr on q6600, 4 clients, debian-6.1-bld": a cell without the parameters that all of its section share.
std::string short_name(const std::vector<Section>& sections, const CellRecord& cell, const std::string& family) {
  for (const auto& section : sections) {
    if (section.job != cell.job) continue;
    for (const auto& row : section.rows) {
      if (row.cell != &cell) continue;
      std::string text = printable(cell.job) + " on " + printable(family.empty() ? cell.topology : family);
      if (!row.label.empty()) text += ", " + row.label;
      if (section.placements) text += ", " + placement_label(cell.placement);
      return text + ", " + printable(cell.kernel);
    }
  }
  return name_of(cell);
}

}  // namespace

Grid verdict_grid(const std::vector<BaselineVerdict>& verdicts,
                  const std::function<std::string(const BaselineVerdict&)>& name) {
  Grid grid;
  grid.head = {"cell", "verdict", "metric", "ratio", "interval or range", "boots", "p", "remarks"};
  grid.align = {Align::Left,  Align::Left,  Align::Left,  Align::Right,
                Align::Right, Align::Right, Align::Right, Align::Left};
  grid.marked = "verdict";
  for (const auto& v : verdicts) {
    grid.rows.push_back({{name(v), to_string(v.kind), printable(v.metric), ratio_words(v), interval_words(v),
                          n_text(v.n, v.n_baseline), v.p_holm ? fmt::format("{:.2g}", *v.p_holm) : "", remarks(v)},
                         mark_of(v.kind)});
  }
  return without_empty_columns(std::move(grid));
}

std::string error_words(double alpha, std::size_t family, int looks) {
  if (family == 0) return "";
  return fmt::format("All of these together err in at most {}: exact ranks, Holm over {} comparison{}{}.",
                     percent(alpha), family, family == 1 ? "" : "s",
                     looks > 1 ? fmt::format(", a share for each of {} looks", looks) : "");
}

namespace {

Grid baseline_grid(const Lookup& lookup, const std::vector<Section>& sections, const Verdicts& verdicts) {
  Grid grid = verdict_grid(verdicts.baseline, [&](const BaselineVerdict& v) {
    const CellRecord* cell = lookup.cell(v.cell);
    return cell == nullptr ? printable(v.cell) : short_name(sections, *cell, v.family);
  });
  grid.caption = "Against " + printable(lookup.record().baseline);
  return grid;
}

std::string amount(const ClaimVerdict& v, double value) {
  return v.of == PublishedClaim::Kind::Ratio ? fmt::format("{:.3f}", value) : fmt::format("{:+.2f}", value);
}

// The claims that the run has cells for; what several say alike goes to notes, the others' names to absent.
Grid claims_grid(const Verdicts& verdicts, const Reference& reference, std::vector<std::string>& notes,
                 std::vector<std::string>& absent) {
  Grid grid;
  grid.caption = fmt::format("Against {} ({}, {})", printable(reference.name), printable(reference.author),
                             printable(reference.date));
  grid.head = {"claim",  "verdict", "published", "reach", "here", "interval or range", "boots", "in the post's words",
               "remarks"};
  grid.align = {Align::Left,  Align::Left,  Align::Right, Align::Right, Align::Right,
                Align::Right, Align::Right, Align::Left,  Align::Left};
  grid.marked = "verdict";
  const auto place_in = [](std::vector<std::string>& all, const std::string& one) {
    const auto found = std::find(all.begin(), all.end(), one);
    const auto place = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) all.push_back(one);
    return place + 1;
  };
  for (const auto& v : verdicts.claims) {
    if (v.kind == ClaimVerdict::Kind::NotRun) continue;
    std::vector<std::string> parts;
    if (!v.reason.empty()) parts.push_back(printable(v.reason));
    if (v.needed) parts.push_back(fmt::format("{} boots a side would do", *v.needed));
    std::string marks;
    for (const auto& note : v.notes)
      marks += fmt::format("{}({})", marks.empty() ? "" : " ", place_in(notes, printable(note)));
    if (!marks.empty()) parts.push_back(marks);
    const std::string unit = v.of == PublishedClaim::Kind::Difference && !v.unit.empty() ? " " + printable(v.unit) : "";
    grid.rows.push_back(
        {{printable(v.claim) + (v.label.empty() ? "" : ", " + printable(v.label)), to_string(v.kind),
          v.published ? amount(v, *v.published) + unit : "", v.published ? fmt::format("\u00b1 {:.3g}", v.reach) : "",
          v.value ? amount(v, *v.value) + unit : "",
          v.interval ? fmt::format("[{}, {}]", amount(v, v.interval->low), amount(v, v.interval->high)) : "",
          v.n > 0 ? std::to_string(v.n) : "", printable(v.says), joined(parts)},
         mark_of(v.kind)});
  }
  for (const auto& v : verdicts.claims) {
    const bool run = std::any_of(verdicts.claims.begin(), verdicts.claims.end(), [&](const ClaimVerdict& one) {
      return one.claim == v.claim && one.kind != ClaimVerdict::Kind::NotRun;
    });
    if (!run) place_in(absent, printable(v.claim));
  }
  return without_empty_columns(std::move(grid));
}

void add_claims(const Verdicts& verdicts, const Reference& reference, Part& part) {
  std::vector<std::string> notes, absent;
  Grid grid = claims_grid(verdicts, reference, notes, absent);
  const std::string caption = grid.caption;
  if (!grid.rows.empty()) part.blocks.emplace_back(std::move(grid));
  Bullets numbered;
  for (std::size_t i = 0; i < notes.size(); ++i) numbered.items.push_back(fmt::format("({}) {}", i + 1, notes[i]));
  if (!numbered.items.empty()) part.blocks.emplace_back(std::move(numbered));
  std::string names;
  for (const auto& name : absent) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty())
    part.blocks.emplace_back(Prose{fmt::format("{}: not run, for want of their cells: {}.", caption, names)});
}

}  // namespace

Part verdicts_part(const Lookup& lookup, const std::vector<Section>& sections, const Material& material) {
  const Verdicts& verdicts = *material.verdicts;
  Part part{"verdicts", "Verdicts", 2, {}};
  if (verdicts.check.asked) {
    part.blocks.emplace_back(Prose{verdicts.check.holds() ? "check: holds" : "check: does not hold",
                                   verdicts.check.holds() ? Mark::Good : Mark::Bad});
    Bullets reasons;
    for (const auto& reason : verdicts.check.reasons) reasons.items.push_back(printable(reason));
    if (!reasons.items.empty()) part.blocks.emplace_back(std::move(reasons));
  }
  if (!verdicts.baseline.empty()) part.blocks.emplace_back(baseline_grid(lookup, sections, verdicts));
  if (auto words = error_words(verdicts.alpha, verdicts.family, verdicts.looks); !words.empty())
    part.blocks.emplace_back(Prose{std::move(words)});
  if (!verdicts.claims.empty() && material.judging && material.judging->reference)
    add_claims(verdicts, *material.judging->reference, part);
  if (verdicts.floor)
    part.blocks.emplace_back(
        Prose{fmt::format("Noise floor: of the same kernel under two names no ratio reaches further than {} from 1.",
                          percent(*verdicts.floor))});
  const Fidelity fidelity = fidelity_of(lookup.record());
  if (fidelity.kind == Fidelity::Kind::Modelled && !part.blocks.empty())
    part.blocks.emplace_back(Prose{"Modelled: ranges over perturbed boots, no probabilities."});
  if (part.blocks.empty())
    part.blocks.emplace_back(Prose{"There is nothing to compare: no kernel beside a baseline, and no reference."});
  return part;
}

std::vector<std::string> verdict_lines(const Material& material, const std::string& cell) {
  std::vector<std::string> lines;
  if (!material.verdicts) return lines;
  for (const auto& v : material.verdicts->baseline) {
    if (v.cell != cell) continue;
    std::string line = "verdict: " + to_string(v.kind);
    if (!v.metric.empty()) line += ", " + printable(v.metric);
    if (v.ratio) line += " " + ratio_words(v) + " of the baseline's";
    if (const auto interval = interval_words(v); !interval.empty()) line += " " + interval;
    if (const auto more = remarks(v); !more.empty()) line += "; " + more;
    lines.push_back(std::move(line));
  }
  for (const auto& v : material.verdicts->claims) {
    if (std::find(v.cells.begin(), v.cells.end(), cell) == v.cells.end()) continue;
    std::string line = "claim " + printable(v.claim) + (v.label.empty() ? "" : " (" + printable(v.label) + ")") + ": " +
                       to_string(v.kind);
    if (v.published) line += ", published " + amount(v, *v.published);
    if (v.value) line += ", here " + amount(v, *v.value);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace rig::report
