// SPDX-License-Identifier: GPL-2.0-or-later
// Documents as text for a terminal. (The report of one run has a layout of its own, that of the posts.)
#include <algorithm>

#include "rig/report/document.h"

namespace rig::report {
namespace {

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
    out += grid_text(block, 2, 60);
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
