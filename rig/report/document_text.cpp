// SPDX-License-Identifier: GPL-2.0-or-later
// Documents as text for a terminal. (The report of one run has a layout of its own, that of the posts.)
#include <algorithm>

#include "rig/report/document.h"

namespace rig::report {
namespace {

constexpr std::size_t indent = 2, name_limit = 60;

bool fits(const std::string& text, std::size_t width) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (columns(std::string_view(text).substr(at, end - at)) > width) return false;
    at = end + 1;
  }
  return true;
}

// The table, its remarks as numbered notes below it where they make it too wide.
std::string table_text(Grid grid, std::size_t width) {
  std::string text = grid_text(grid, indent, name_limit);
  if (grid.head.back() != "remarks" || fits(text, width)) return text;
  std::vector<std::string> notes;
  for (auto& row : grid.rows) {
    std::string& cell = row.cells.back();
    if (cell.empty()) continue;
    const auto found = std::find(notes.begin(), notes.end(), cell);
    const auto number = static_cast<std::size_t>(found - notes.begin()) + 1;
    if (found == notes.end()) notes.push_back(cell);
    cell = "(" + std::to_string(number) + ")";
  }
  text = grid_text(grid, indent, name_limit);
  for (std::size_t i = 0; i < notes.size(); ++i)
    text += "  " + wrap("(" + std::to_string(i + 1) + ") " + notes[i], width - 2, 6) + "\n";
  return text;
}

struct Writer {
  std::size_t width;
  std::string out;

  void operator()(const Prose& block) { out += wrap(block.text, width, 0) + "\n"; }
  void operator()(const Bullets& block) {
    for (const auto& item : block.items) out += "  " + wrap(item, width - 2, 4) + "\n";
  }
  void operator()(const Facts& block) {
    for (const auto& [name, value] : block.items) out += wrap(name + ": " + value, width, 2) + "\n";
  }
  void operator()(const Grid& block) {
    out += "\n";
    if (!block.caption.empty()) out += wrap(block.caption, width, 0) + "\n";
    out += table_text(block, width);
  }
  void operator()(const Lines& block) {
    out += block.label + ":\n";
    for (const auto& line : block.lines) out += "    " + line + "\n";
  }
  void operator()(const Figures&) {}
  void operator()(const Machines&) {}
};

}  // namespace

std::string text_of(const Document& document, std::size_t width) {
  Writer writer{width, {}};
  writer.out = document.title + "\n" + std::string(std::min(columns(document.title), width), '=') + "\n";
  writer(document.facts);
  writer.out += "\n";
  writer(document.meaning);
  for (const auto& part : document.parts) {
    writer.out +=
        "\n" + wrap(part.title, width, 0) + "\n" + std::string(std::min(columns(part.title), width), '-') + "\n";
    for (const auto& block : part.blocks) std::visit(writer, block);
  }
  return std::move(writer.out);
}

}  // namespace rig::report
