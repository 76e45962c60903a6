// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/base/error.h"
#include "rig/report/document.h"
#include "rig/report/pairs.h"
#include "rig/report/words.h"

namespace rig {
namespace report {
namespace {

struct Side {
  const ComparedRun& run;
  Lookup lookup;
  std::vector<Section> sections;
  std::map<const CellRecord*, std::pair<const Section*, const Row*>> rows;

  explicit Side(const ComparedRun& given) : run(given), lookup(given.record), sections(sections_of(lookup)) {
    for (const auto& section : sections) {
      for (const auto& row : section.rows) rows[row.cell] = {&section, &row};
    }
  }
};

std::string mean_text(const Section& section, const Row& row, int decimals, Legend& legend) {
  if (!row.trouble.empty()) return "no result: " + row.trouble;
  const std::string range = spread(section, row, decimals, legend);
  return figure(row.summary.mean, decimals) + (range.empty() ? "" : " (" + range + ")");
}

std::string ratio_with_interval(const std::optional<Ratio>& ratio, bool perturbed, Legend& legend) {
  if (!ratio) return "-";
  std::string text = fmt::format("{:.3f}", ratio->value);
  if (!ratio->interval) return text;
  (perturbed ? legend.range : legend.interval) = true;
  return text + fmt::format(" [{:.3f}, {:.3f}]", ratio->interval->first, ratio->interval->second);
}

std::string kernel_text(const CellPair& pair) {
  return pair.a->kernel == pair.b->kernel ? printable(pair.a->kernel)
                                          : printable(pair.a->kernel) + " / " + printable(pair.b->kernel);
}

// The pairs of one job on one machine (or sweep).
Part section_part(const Side& a, const Side& b, const std::vector<CellPair>& pairs, std::size_t number,
                  Legend& legend) {
  const Section& section = *a.rows.at(pairs.front().a).first;
  const Section& other = *b.rows.at(pairs.front().b).first;
  Part part{fmt::format("compared-{}", number), section_name(section), 2, {}};
  if (section.metric.metric != other.metric.metric) {
    part.blocks.emplace_back(Prose{fmt::format(
        "Not compared: the table of {} is of {}, that of {} of {}, for not every cell has the former there.",
        a.run.name, printable(section.metric.metric), b.run.name, printable(other.metric.metric))});
    return part;
  }
  part.blocks.emplace_back(Prose{metric_words(section) + "."});
  const int decimals = decimals_for(std::max(largest(section), largest(other)));
  const std::string unit = ", " + printable(section.metric.unit);
  Grid grid;
  grid.caption = "Beside each other";
  grid.head = {"kernel", "cell", "A" + unit, "B" + unit, "B / A"};
  Grid changes;
  changes.caption = "Against the baseline of each run";
  changes.head = {"kernel", "cell", "in A", "in B"};
  for (Grid* one : {&grid, &changes}) {
    one->headers = 2;
    one->align.assign(one->head.size(), Align::Left);
  }
  grid.align[2] = grid.align[3] = Align::Right;
  for (const auto& pair : pairs) {
    const Row &left = *a.rows.at(pair.a).second, &right = *b.rows.at(pair.b).second;
    std::string label = left.label;
    if (section.placements) label += (label.empty() ? "" : ", ") + placement_label(pair.a->placement);
    if (!section.points.empty()) label += (label.empty() ? "" : ", ") + printable(pair.a->topology);
    const auto ratio = ratio_in(section, values_in(right.by_repetition), values_in(left.by_repetition));
    grid.rows.push_back(
        {{kernel_text(pair), label, mean_text(section, left, decimals, legend),
          mean_text(other, right, decimals, legend), ratio_with_interval(ratio, section.perturbed, legend)},
         left.trouble.empty() && right.trouble.empty() ? Mark::None : Mark::Bad});
    if (pair.a->kernel == a.run.record.baseline || (!left.ratio && !right.ratio)) continue;
    changes.rows.push_back({{kernel_text(pair), label, ratio_with_interval(left.ratio, section.perturbed, legend),
                             ratio_with_interval(right.ratio, section.perturbed, legend)}});
  }
  part.blocks.emplace_back(without_empty_columns(std::move(grid)));
  if (!changes.rows.empty()) part.blocks.emplace_back(without_empty_columns(std::move(changes)));
  return part;
}

Part verdict_part(const Side& a, const Side& b, const std::vector<CellPair>& pairs) {
  Part part{"verdicts", "Verdicts", 2, {}};
  const Judging usual;
  std::vector<std::pair<const CellRecord*, const CellRecord*>> cells;
  for (const auto& pair : pairs) cells.emplace_back(pair.a, pair.b);
  const RunsCompared compared =
      verdicts_between(a.run.record, a.run.name, a.run.judging == nullptr ? usual : *a.run.judging, b.run.record,
                       b.run.name, b.run.judging == nullptr ? usual : *b.run.judging, cells);
  Grid grid = verdict_grid(compared.verdicts, [&](const BaselineVerdict& v) {
    const auto pair =
        std::find_if(pairs.begin(), pairs.end(), [&](const CellPair& one) { return one.b->id == v.cell; });
    const Row& row = *b.rows.at(pair->b).second;
    std::string text = printable(pair->b->job) + " on " + printable(pair->b->topology);
    if (!row.label.empty()) text += ", " + row.label;
    if (!pair->b->placement.empty()) text += ", " + placement_label(pair->b->placement);
    return text + ", " + kernel_text(*pair);
  });
  grid.caption = "B against A";
  part.blocks.emplace_back(std::move(grid));
  if (auto words = error_words(compared.alpha, compared.family, compared.looks); !words.empty())
    part.blocks.emplace_back(Prose{std::move(words)});
  const Fidelity::Kind kind = fidelity_of(a.run.record).kind;
  if (kind == Fidelity::Kind::Modelled)
    part.blocks.emplace_back(Prose{"Modelled: ranges over perturbed boots, no probabilities."});
  if (kind == Fidelity::Kind::Measured)
    part.blocks.emplace_back(
        Prose{"The two were measured at different times and not in turns: whatever changed on the host between them "
              "shows as a difference too. One matrix with both kernels tells them apart; these verdicts cannot."});
  return part;
}

// What is not the same of all that the records tell.
Part differences(const RunRecord& a, const RunRecord& b, const Pairs& pairs) {
  Part part{"differences", "What differs between the runs", 2, {}};
  Grid grid;
  grid.head = {"what", "A", "B"};
  grid.align.assign(3, Align::Left);
  const auto add = [&](const std::string& what, const std::string& left, const std::string& right) {
    if (left != right) grid.rows.push_back({{printable(what), printable(left), printable(right)}});
  };
  add("matrix", a.name, b.name);
  add("rig", a.rig_version, b.rig_version);
  add("boots of each cell", std::to_string(a.boots), std::to_string(b.boots));
  add("seed", std::to_string(a.seed), std::to_string(b.seed));
  add("baseline", a.baseline, b.baseline);
  std::map<std::string, std::string> partner;
  for (const auto& [left, right] : pairs.kernels) partner[left] = right;
  for (const auto& kernel : a.kernels) {
    const auto named = partner.find(printable(kernel.name));
    for (const auto& other : b.kernels) {
      if (other.name != kernel.name && (named == partner.end() || printable(other.name) != named->second)) continue;
      add(kernel.name + ": kernel", kernel.name, other.name);
      add(kernel.name + ": release", kernel.release, other.release);
      add(kernel.name + ": source", kernel.source, other.source);
      add(kernel.name + ": compiler", kernel.compiler, other.compiler);
      add(kernel.name + ": build", kernel.key.substr(0, 12), other.key.substr(0, 12));
    }
  }
  std::set<std::string> names;
  for (const auto* record : {&a, &b}) {
    for (const auto& [name, value] : record->environment) names.insert(name);
  }
  const auto value = [](const RunRecord& record, const std::string& name) {
    const auto found = record.environment.find(name);
    return found == record.environment.end() ? std::string("-") : found->second;
  };
  for (const auto& name : names) add(name, value(a, name), value(b, name));
  if (!grid.rows.empty())
    part.blocks.emplace_back(std::move(grid));
  else
    part.blocks.emplace_back(Prose{"Nothing that the records tell: the same kernels, host and programs."});
  return part;
}

Document compare(const Side& a, const Side& b) {
  if (const auto why = refusal_of(a.run, b.run); !why.empty())
    throw InputError("these runs cannot be compared: " + why);
  const Pairs pairs = pairs_of(a.run, b.run);
  if (pairs.cells.empty()) {
    std::string text = "these runs have nothing that can be compared";
    for (const auto& reason : pairs.refused) text += "\n  " + reason;
    throw InputError(text);
  }
  Document document;
  document.title = printable(a.run.record.name) + ": two runs compared";
  document.facts.items = {{"A", fmt::format("{}, {}, {} of each cell", a.run.name, printable(a.run.record.started),
                                            boots_planned(a.run.record))},
                          {"B", fmt::format("{}, {}, {} of each cell", b.run.name, printable(b.run.record.started),
                                            boots_planned(b.run.record))}};
  for (const auto& [left, right] : pairs.kernels)
    document.facts.items.emplace_back("kernels", left + " against " + right);
  const RunRecord& record = a.run.record;
  document.meaning.text = printable(record.accelerator) +
                          (record.accelerator_meaning.empty() ? "" : ": " + printable(record.accelerator_meaning));
  std::vector<std::pair<const Section*, std::vector<CellPair>>> groups;
  for (const auto& pair : pairs.cells) {
    const Section* section = a.rows.at(pair.a).first;
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == section; });
    if (found == groups.end())
      groups.push_back({section, {pair}});
    else
      found->second.push_back(pair);
  }
  Legend legend;
  document.parts.push_back(verdict_part(a, b, pairs.cells));
  if (!pairs.refused.empty()) {
    Part part{"refused", "Not compared", 2, {}};
    part.blocks.emplace_back(Bullets{pairs.refused});
    document.parts.push_back(std::move(part));
  }
  std::size_t number = 0;
  for (const auto& group : groups) document.parts.push_back(section_part(a, b, group.second, ++number, legend));
  document.parts.push_back(differences(a.run.record, b.run.record, pairs));
  if (auto lines = legend_lines(legend); !lines.empty()) {
    Part part{"how-to-read", "How to read the figures", 2, {}};
    part.blocks.emplace_back(Bullets{std::move(lines)});
    document.parts.push_back(std::move(part));
  }
  return document;
}

}  // namespace
}  // namespace report

std::string compare_report(const ComparedRun& a, const ComparedRun& b, ReportFormat format, int width) {
  using namespace report;
  const Side left(a), right(b);
  const Document document = compare(left, right);
  if (format == ReportFormat::Markdown) return markdown_of(document);
  if (format == ReportFormat::Html) return html_of(document, {});
  return text_of(document, static_cast<std::size_t>(std::clamp(width, 40, 400)));
}

}  // namespace rig
