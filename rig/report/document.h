// SPDX-License-Identifier: GPL-2.0-or-later
// A report as a value, before it becomes Markdown or a page: parts of blocks. All text in it is printable.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rig/report/grid.h"
#include "rig/report/report.h"
#include "rig/report/section.h"

namespace rig::report {

struct Prose {
  std::string text;
  Mark mark = Mark::None;
};
struct Bullets {
  std::vector<std::string> items;
};
struct Facts {
  std::vector<std::pair<std::string, std::string>> items;  // name and value
};
struct Lines {  // kept as they are: a console's end, a reason
  std::string label;
  std::vector<std::string> lines;
};
struct Figures {
  std::vector<Plot> plots;
};
struct Machines {
  std::vector<Topology> machines;
};
using Block = std::variant<Prose, Bullets, Facts, Grid, Lines, Figures, Machines>;

struct Part {
  std::string id;     // letters, digits, '-'; unique in the document
  std::string title;  // empty for none: the blocks follow the part before
  int level = 2;      // of the heading
  std::vector<Block> blocks;
  bool page_only = false;  // too long for a mail
};

struct Document {
  std::string title;
  Facts facts;    // what ran when
  Prose meaning;  // what the figures mean
  std::vector<Part> parts;
};

Document document_of(const RunRecord& record, const Material& material);

// Verdicts as a table, and what they err by; empty where nothing was tested.
Grid verdict_grid(const std::vector<BaselineVerdict>& verdicts,
                  const std::function<std::string(const BaselineVerdict&)>& name);
std::string error_words(double alpha, std::size_t family, int looks);

// Its pieces (a file each).
Part verdicts_part(const Lookup& lookup, const std::vector<Section>& sections, const Material& material);
Part ratios_part(const Lookup& lookup, const std::vector<Section>& sections);  // where there are no verdicts
Part published_part(const Material& material);
std::vector<Part> results_parts(const Lookup& lookup, const std::vector<Section>& sections, const Material& material);
Part failures_part(const Lookup& lookup, const Material& material);  // without blocks where all is well
Part kernels_part(const RunRecord& record);
Part machines_part(const RunRecord& record, const Material& material);
Part fidelity_part(const Lookup& lookup);
Part environment_part(const Lookup& lookup);

// The document as text, as Markdown and as a page. The drawn figures and why there are none are the material's.
std::string text_of(const Document& document, std::size_t width);
std::string markdown_of(const Document& document);
std::string html_of(const Document& document, const Material& material);

}  // namespace rig::report
