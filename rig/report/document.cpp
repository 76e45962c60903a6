// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "rig/report/cell_state.h"
#include "rig/report/figures.h"
#include "rig/report/formats.h"
#include "rig/report/images.h"
#include "rig/report/mapping.h"
#include "rig/report/rounds.h"
#include "rig/report/sweep.h"
#include "rig/report/tables.h"
#include "rig/report/what_if.h"
#include "rig/report/why.h"
#include "rig/report/wire.h"

namespace rig::report {

Part ratios_part(const Lookup& lookup, const std::vector<Section>& sections) {
  const RunRecord& record = lookup.record();
  Part part{"verdicts", "Verdicts", 2, {}};
  Grid grid;
  grid.caption = "Each kernel against " + printable(record.baseline) + ", as ratios of the means";
  grid.head = {"what", "kernel", "ratio", "interval or range", "better is", "boots"};
  grid.align = {Align::Left, Align::Left, Align::Right, Align::Right, Align::Left, Align::Right};
  grid.headers = 2;
  Legend legend;
  Bullets claims;
  for (const auto& section : sections) {
    for (const auto& row : section.rows) {
      if (!section.points.empty() || row.cell->kernel == record.baseline || !row.ratio) continue;
      std::string what = section_name(section) + ", " + printable(section.metric.metric);
      if (!row.label.empty()) what += ", " + row.label;
      if (section.placements) what += ", " + placement_label(row.cell->placement);
      grid.rows.push_back(
          {{what, printable(row.cell->kernel), ratio_text(record, row), interval_text(section, row, record, legend),
            section.metric.higher_is_better ? "more" : "less", boots(record, row, legend)}});
    }
    if (section.points.empty()) continue;
    for (const auto& panel : panels_of(record, section)) {
      for (const auto& claim : claims_of(record, section, panel))
        claims.items.push_back(section_name(section) + (panel.label.empty() ? "" : ", " + panel.label) + ": " +
                               claim_text(claim));
    }
  }
  if (!grid.rows.empty()) part.blocks.emplace_back(without_empty_columns(std::move(grid)));
  if (!claims.items.empty()) part.blocks.emplace_back(std::move(claims));
  if (part.blocks.empty())
    part.blocks.emplace_back(Prose{"There is nothing to compare: no kernel beside a baseline has figures."});
  for (auto& line : legend_lines(legend)) part.blocks.emplace_back(Prose{std::move(line)});
  return part;
}

std::vector<Part> results_parts(const Lookup& lookup, const std::vector<Section>& sections, const Material& material) {
  const RunRecord& record = lookup.record();
  std::vector<Part> parts;
  Legend legend;
  std::size_t number = 0;
  for (const auto& section : sections) {
    Part part{fmt::format("results-{}", ++number), section_name(section), 2, {}};
    const std::string words = metric_words(section);
    part.blocks.emplace_back(Prose{words.empty() ? "The record names no metric of this job." : words + "."});
    if (const std::string instead = instead_words(section); !instead.empty()) part.blocks.emplace_back(Prose{instead});
    if (words.empty()) {
      parts.push_back(std::move(part));
      continue;
    }
    if (auto plots = section_figures(lookup, section, material); !plots.empty())
      part.blocks.emplace_back(Figures{std::move(plots)});
    if (section.points.empty()) {
      Grid grid = results_grid(record, section, legend);
      grid.caption = fmt::format("{}: {}", section_name(section), printable(section.metric.metric));
      part.blocks.emplace_back(std::move(grid));
      if (Grid others = others_grid(lookup, section); !others.rows.empty()) {
        others.caption = "Other metrics, means";
        part.blocks.emplace_back(std::move(others));
      }
      if (const std::string image = image_words(record, section); !image.empty())
        part.blocks.emplace_back(Prose{image});
      if (Grid wire = wire_grid(lookup, section); !wire.rows.empty()) {
        wire.head.front() = "cell";
        part.blocks.emplace_back(std::move(wire));
      }
      if (Grid cycles = cycles_grid(lookup, section); !cycles.rows.empty()) {
        cycles.head.front() = "cycles";
        part.blocks.emplace_back(std::move(cycles));
      }
    }
    for (const auto& panel : section.points.empty() ? std::vector<Panel>{} : panels_of(record, section)) {
      Grid grid = panel_grid(record, section, panel, legend);
      grid.caption = section_name(section) + (panel.label.empty() ? "" : ", " + panel.label);
      part.blocks.emplace_back(std::move(grid));
    }
    if (Grid rounds = rounds_grid(lookup, section); !rounds.rows.empty()) {
      const auto meaning = rounds_words(rounds);
      part.blocks.emplace_back(without_empty_columns(std::move(rounds)));
      for (const auto& line : meaning) part.blocks.emplace_back(Prose{line});
    }
    parts.push_back(std::move(part));
  }
  Part what_ifs{"what-ifs", "What if the machine were another", 2, {}};
  for (auto& grid : what_if_grids(lookup, sections, legend)) {
    grid.head[0] = "kernel";
    grid.head[1] = "cell";
    what_ifs.blocks.emplace_back(without_empty_columns(std::move(grid)));
  }
  if (!what_ifs.blocks.empty()) parts.push_back(std::move(what_ifs));
  Part how{"how-to-read", "How to read the figures", 2, {}};
  if (auto lines = legend_lines(legend); !lines.empty()) how.blocks.emplace_back(Bullets{std::move(lines)});
  if (!how.blocks.empty()) parts.push_back(std::move(how));
  return parts;
}

Part failures_part(const Lookup& lookup, const Material& material) {
  Part part{"failures", "Failed, skipped or not run", 2, {}};
  for (const auto& trouble : troubles_of(lookup)) {
    const bool started = trouble.first->outcome != Outcome::Skipped;
    const auto directory = started ? attempt_directory(*trouble.first) : std::nullopt;
    part.blocks.emplace_back(Prose{trouble_title(lookup, trouble) + (directory ? ". Files: " + *directory : ""),
                                   trouble.mended ? Mark::None : Mark::Bad});
    if (!trouble.first->reason.empty() && trouble.first->reason != to_string(trouble.first->outcome))
      part.blocks.emplace_back(Lines{"reason", reason_lines(trouble.first->reason)});
    const auto console = directory ? material.consoles.find(*directory) : material.consoles.end();
    if (console != material.consoles.end() && !console->second.empty())
      part.blocks.emplace_back(Lines{"the end of its console", console_lines(console->second)});
  }
  Bullets unrun;
  for (const auto& cell : lookup.record().cells) {
    const auto missing = never_run(lookup, cell);
    if (!missing.empty()) unrun.items.push_back(name_of(cell) + ": not run: " + boots_text(missing));
  }
  if (!unrun.items.empty()) part.blocks.emplace_back(std::move(unrun));
  return part;
}

namespace {

Part notes_part(const Lookup& lookup) {
  Part part{"notes", "Notes", 2, {}};
  Facts facts;
  for (const auto& [cell, notes] : notes_of(lookup)) {
    for (const auto& note : notes) facts.items.emplace_back(cell, note);
  }
  if (!facts.items.empty()) part.blocks.emplace_back(std::move(facts));
  return part;
}

}  // namespace

Document document_of(const RunRecord& record, const Material& material) {
  const Lookup lookup(record);
  const auto sections = sections_of(lookup);
  Document document;
  document.title = printable(record.name);
  document.facts.items = {
      {"run", fmt::format("rig {}, {}, plan {}, seed {}, {} of each cell", printable(record.rig_version),
                          printable(record.started), printable(record.plan_hash), record.seed, boots_planned(record))},
      {"result", tally_text(lookup)}};
  if (const auto words = unfinished_words(lookup); !words.empty())
    document.facts.items.emplace_back("to know", words + ".");
  document.meaning.text = printable(record.accelerator) +
                          (record.accelerator_meaning.empty() ? "" : ": " + printable(record.accelerator_meaning));
  std::vector<Part>& parts = document.parts;
  parts.push_back(material.verdicts ? verdicts_part(lookup, sections, material) : ratios_part(lookup, sections));
  if (auto limits = limits_of(lookup); !limits.empty()) {
    parts.back().blocks.emplace_back(Prose{"What limits these comparisons:"});
    parts.back().blocks.emplace_back(Bullets{std::move(limits)});
  }
  for (auto& part : results_parts(lookup, sections, material)) parts.push_back(std::move(part));
  if (material.verdicts && material.judging) parts.push_back(published_part(material));
  parts.push_back(failures_part(lookup, material));
  parts.push_back(notes_part(lookup));
  parts.push_back(kernels_part(record));
  parts.push_back(machines_part(record, material));
  parts.push_back(fidelity_part(lookup));
  parts.push_back(environment_part(lookup));
  if (auto plots = order_figures(lookup, sections); !plots.empty()) {
    Part order{"order", "In the order of execution", 2, {Figures{std::move(plots)}}};
    parts.insert(std::find_if(parts.begin(), parts.end(), [](const Part& part) { return part.id == "failures"; }),
                 std::move(order));
  }
  std::erase_if(parts, [](const Part& part) { return part.blocks.empty(); });
  std::set<std::string> taken;  // a figure is found by its name
  for (auto& part : parts) {
    for (auto& block : part.blocks) {
      if (auto* figures = std::get_if<Figures>(&block)) name_apart(figures->plots, taken);
    }
  }
  return document;
}

void write_markdown(const RunRecord& record, const Material& material, const Sink& sink) {
  sink(markdown_of(document_of(record, material)));
}

void write_html(const RunRecord& record, const Material& material, const Sink& sink) {
  sink(html_of(document_of(record, material), material));
}

}  // namespace rig::report

namespace rig {

std::vector<Plot> figures_of(const RunRecord& record, const Material& material) {
  std::vector<Plot> plots;
  for (auto& part : report::document_of(record, material).parts) {
    for (auto& block : part.blocks) {
      if (auto* figures = std::get_if<report::Figures>(&block))
        plots.insert(plots.end(), std::move_iterator(figures->plots.begin()), std::move_iterator(figures->plots.end()));
    }
  }
  return plots;
}

}  // namespace rig
