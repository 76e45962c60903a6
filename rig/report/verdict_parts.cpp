// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts and published figures as tables.
#include <fmt/format.h>

#include <algorithm>

#include "rig/report/cell_state.h"
#include "rig/report/document.h"
#include "rig/report/words.h"
#include "rig/stats/stats.h"

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
std::string short_name(const std::vector<Section>& sections, const CellRecord& cell) {
  for (const auto& section : sections) {
    if (section.job != cell.job) continue;
    for (const auto& row : section.rows) {
      if (row.cell != &cell) continue;
      std::string text = printable(cell.job) + " on " + printable(cell.topology);
      if (!row.label.empty()) text += ", " + row.label;
      if (section.placements) text += ", " + placement_label(cell.placement);
      return text + ", " + printable(cell.kernel);
    }
  }
  return name_of(cell);
}

Grid baseline_grid(const Lookup& lookup, const std::vector<Section>& sections, const Verdicts& verdicts) {
  Grid grid;
  grid.caption = "Against " + printable(lookup.record().baseline);
  grid.head = {"cell", "verdict", "metric", "ratio", "interval or range", "boots", "p", "remarks"};
  grid.align = {Align::Left,  Align::Left,  Align::Left,  Align::Right,
                Align::Right, Align::Right, Align::Right, Align::Left};
  grid.marked = "verdict";
  for (const auto& v : verdicts.baseline) {
    const CellRecord* cell = lookup.cell(v.cell);
    grid.rows.push_back({{cell == nullptr ? printable(v.cell) : short_name(sections, *cell), to_string(v.kind),
                          printable(v.metric), ratio_words(v), interval_words(v), n_text(v.n, v.n_baseline),
                          v.p_holm ? fmt::format("{:.2g}", *v.p_holm) : "", remarks(v)},
                         mark_of(v.kind)});
  }
  return without_empty_columns(std::move(grid));
}

std::string amount(const ClaimVerdict& v, double value) {
  return v.of == PublishedClaim::Kind::Ratio ? fmt::format("{:.3f}", value) : fmt::format("{:+.2f}", value);
}

Grid claims_grid(const Verdicts& verdicts, const Reference& reference) {
  Grid grid;
  grid.caption = fmt::format("Against {} ({}, {})", printable(reference.name), printable(reference.author),
                             printable(reference.date));
  grid.head = {"claim",  "verdict", "published", "reach", "here", "interval or range", "boots", "in the post's words",
               "remarks"};
  grid.align = {Align::Left,  Align::Left,  Align::Right, Align::Right, Align::Right,
                Align::Right, Align::Right, Align::Left,  Align::Left};
  grid.marked = "verdict";
  for (const auto& v : verdicts.claims) {
    std::vector<std::string> parts;
    if (!v.reason.empty()) parts.push_back(printable(v.reason));
    if (v.needed) parts.push_back(fmt::format("{} boots a side would do", *v.needed));
    for (const auto& note : v.notes) parts.push_back(printable(note));
    const std::string unit = v.of == PublishedClaim::Kind::Difference && !v.unit.empty() ? " " + printable(v.unit) : "";
    grid.rows.push_back(
        {{printable(v.claim) + (v.label.empty() ? "" : ", " + printable(v.label)), to_string(v.kind),
          v.published ? amount(v, *v.published) + unit : "", v.published ? fmt::format("\u00b1 {:.3g}", v.reach) : "",
          v.value ? amount(v, *v.value) + unit : "",
          v.interval ? fmt::format("[{}, {}]", amount(v, v.interval->low), amount(v, v.interval->high)) : "",
          v.n > 0 ? std::to_string(v.n) : "", printable(v.says), joined(parts)},
         mark_of(v.kind)});
  }
  return without_empty_columns(std::move(grid));
}

double mean_of(const Beside& one) { return summarize(one.values).mean; }

const Beside* same_row(const std::vector<const Beside*>& rows, const Beside& one, const std::string& kernel,
                       const std::string& placement) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Beside* other) {
    return other->row->kernel == kernel && other->row->placement == placement && other->row->at == one.row->at;
  });
  return found == rows.end() ? nullptr : *found;
}

// One published table. Placements are told by their difference to the same CPU, others by their ratio to the baseline.
Grid published_grid(const std::vector<const Beside*>& rows, const PublishedTable& table, const Reference& reference) {
  const bool placements =
      std::any_of(rows.begin(), rows.end(), [](const Beside* one) { return !one->row->placement.empty(); });
  // as they are, and to the baseline kernel's: not where packets crossed something else, or nothing was timed
  const bool absolute =
      placements && std::any_of(rows.begin(), rows.end(), [](const Beside* one) {
        return one->job != nullptr && (one->table->path.empty() || one->table->path == one->job->path) &&
               (one->fidelity == Fidelity::Kind::Modelled || one->fidelity == Fidelity::Kind::Measured);
      });
  std::size_t tests = 0;
  for (const auto* one : rows)
    if (absolute) tests = std::max({tests, one->row->figures.size(), one->values.size()});
  Grid grid;
  const std::string step = placements ? "to same CPU" : "vs " + printable(reference.baseline);
  const std::string kernels = "to " + printable(reference.baseline);
  grid.head = {"published kernel", "placement", "cell"};
  for (std::size_t i = 0; i < tests; ++i) grid.head.push_back(fmt::format("published, test {}", i + 1));
  grid.head.insert(grid.head.end(), {"published", step, "published, " + kernels, "here with"});
  for (std::size_t i = 0; i < tests; ++i) grid.head.push_back(fmt::format("here, test {}", i + 1));
  grid.head.insert(grid.head.end(), {"here", "here, " + step, "here, " + kernels, "here to published"});
  grid.align.assign(grid.head.size(), Align::Right);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}, 6 + tests}) grid.align[i] = Align::Left;
  grid.headers = 3;
  for (const auto* one : rows) {
    std::string label;
    for (const auto& [name, value] : one->row->at) label += (label.empty() ? "" : ", ") + parameter_label(name, value);
    const double published = value_of(table, *one->row);
    const Beside* base = placements ? same_row(rows, *one, one->row->kernel, "same-cpu")
                                    : same_row(rows, *one, reference.baseline, one->row->placement);
    if (base == one && placements) base = nullptr;
    std::string theirs, ours;
    if (base != nullptr && !table.rank_only) {
      const double other = value_of(table, *base->row);
      theirs = placements ? difference_text(published - other, 2) : fmt::format("{:.3f}", published / other);
      if (!one->values.empty() && !base->values.empty())
        ours = placements ? difference_text(mean_of(*one) - mean_of(*base), 2)
                          : fmt::format("{:.3f}", mean_of(*one) / mean_of(*base));
    }
    const Beside* oldest = absolute ? same_row(rows, *one, reference.baseline, one->row->placement) : nullptr;
    if (oldest == one) oldest = nullptr;
    const bool both = oldest != nullptr && !oldest->values.empty() && !one->values.empty();
    std::vector<std::string> cells = {printable(one->row->kernel),
                                      one->row->placement.empty() ? "" : placement_label(one->row->placement), label};
    for (std::size_t i = 0; i < tests; ++i)
      cells.push_back(i < one->row->figures.size() ? printable(one->row->figures[i].text) : "");
    cells.push_back(figure(published, std::min(2, decimals_for(published))));
    cells.push_back(theirs);
    cells.push_back(oldest != nullptr ? difference_text(published - value_of(table, *oldest->row), 2) : "");
    cells.push_back(one->cell == nullptr ? "not run" : printable(one->cell->kernel));
    for (std::size_t i = 0; i < tests; ++i) cells.push_back(i < one->values.size() ? figure(one->values[i], 2) : "");
    cells.push_back(one->values.empty() ? "" : figure(mean_of(*one), std::min(2, decimals_for(mean_of(*one)))));
    cells.push_back(ours);
    cells.push_back(both ? difference_text(mean_of(*one) - mean_of(*oldest), 2) : "");
    cells.push_back(absolute && !one->values.empty() ? difference_text(mean_of(*one) - published, 2) : "");
    grid.rows.push_back({std::move(cells)});
  }
  return without_empty_columns(std::move(grid));
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
  if (verdicts.family > 0)
    part.blocks.emplace_back(
        Prose{fmt::format("All of these together err in at most {}: exact ranks, Holm over {} comparison{}{}.",
                          percent(verdicts.alpha), verdicts.family, verdicts.family == 1 ? "" : "s",
                          verdicts.looks > 1 ? fmt::format(", a share for each of {} looks", verdicts.looks) : "")});
  if (!verdicts.claims.empty() && material.judging && material.judging->reference)
    part.blocks.emplace_back(claims_grid(verdicts, *material.judging->reference));
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

Part published_part(const Material& material) {
  Part part{"published", "Published figures beside these", 2, {}};
  if (!material.judging->reference) return part;
  const Reference& reference = *material.judging->reference;
  const auto& stands_for = material.judging->stands_for;
  for (const auto& table : reference.tables) {
    std::vector<const Beside*> rows;
    const Beside* first = nullptr;
    std::size_t left_out = 0;
    for (const auto& one : material.verdicts->beside) {
      if (one.table != &table) continue;
      const bool of_run = std::any_of(stands_for.begin(), stands_for.end(),
                                      [&](const auto& pair) { return pair.second == one.row->kernel; });
      if (of_run)
        rows.push_back(&one);
      else
        ++left_out;
      if (one.cell != nullptr && first == nullptr) first = &one;
    }
    if (first == nullptr) continue;
    Grid grid = published_grid(rows, table, reference);
    grid.caption =
        fmt::format("{}: {}, {}", printable(reference.name), printable(table.title), printable(table.printed_unit));
    part.blocks.emplace_back(std::move(grid));
    if (first->job != nullptr && !table.path.empty() && !first->job->path.empty() && table.path != first->job->path)
      part.blocks.emplace_back(Prose{fmt::format(
          "Published over a {}, here over {}: only differences between placements can be compared, times {}/{}.",
          printable(table.path), printable(first->job->path), table.crossings, first->job->crossings)});
    if (table.rank_only) part.blocks.emplace_back(Prose{"Maxima: to be compared by rank only."});
    if (first->unit != table.unit && !first->unit.empty())
      part.blocks.emplace_back(Prose{fmt::format("Here in {}.", printable(first->unit))});
    if (left_out > 0)
      part.blocks.emplace_back(
          Prose{fmt::format("{} more rows are published, of kernels that were not run here.", left_out)});
  }
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
