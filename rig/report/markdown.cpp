// SPDX-License-Identifier: GPL-2.0-or-later
// Markdown (GitLab's and GitHub's) that also reads as plain text in a mail: a text of the record is left bare where no
// character of it means anything there, and put between backticks where one does.
#include <algorithm>
#include <cctype>

#include "rig/report/document.h"

namespace rig::report {
namespace {

bool alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80; }

// Whether Markdown, or a forge's links to people and numbers, would make something of the text.
bool means_something(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : ' '; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = i == 0 ? ' ' : text[i - 1];
    if (std::string_view("\\`*|&~^{}$@!#\"").find(c) != std::string_view::npos) return true;
    if (c == '_' && !(alnum(before) && alnum(at(i + 1)))) return true;
    if (c == '<' && at(i + 1) != ' ') return true;
    if (c == '%' && at(i + 1) != ' ' && at(i + 1) != ')' && at(i + 1) != ',' && at(i + 1) != ';' && at(i + 1) != ':' &&
        at(i + 1) != '.')
      return true;
    if (c == ']' && (at(i + 1) == '(' || at(i + 1) == '[')) return true;
  }
  const auto has = [&](std::string_view what) { return text.find(what) != std::string_view::npos; };
  return has("://") || has("www.") || has("mailto:") || text.starts_with(' ') || text.ends_with(' ');
}

std::string code(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  const bool pad = longest > 0 || text.starts_with(' ');
  return fence + (pad ? " " : "") + std::string(text) + (pad ? " " : "") + fence;
}

std::string inline_text(std::string_view text) { return means_something(text) ? code(text) : std::string(text); }

// A long text with a few words that mean something: those alone between backticks.
std::string words(std::string_view text) {
  if (!means_something(text)) return std::string(text);
  std::string out;
  bool first = true;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    out += first ? "" : " ";
    first = false;
    if (!word.empty()) out += means_something(word) ? code(word) : std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The same at the start of a line, where more means something: a heading, a list, a quotation, a link's definition.
std::string prose(std::string_view text) {
  const bool begins = !text.empty() && std::string_view("-+=>[").find(text.front()) != std::string_view::npos;
  const auto digits = text.find_first_not_of("0123456789");
  const bool numbered = digits != std::string_view::npos && digits > 0 && (text[digits] == '.' || text[digits] == ')');
  return numbered ? code(text) : (begins ? "\\" : "") + words(text);
}

// In a table's cell a pipe is escaped even between backticks.
std::string cell(const std::string& text) {
  const std::string bare = inline_text(text);
  std::string out;
  for (const char c : bare) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string table(const Grid& grid) {
  std::string out;
  if (!grid.caption.empty()) out += prose(grid.caption) + ":\n\n";
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::vector<std::string>& cells) {
    rows.emplace_back();
    for (const auto& text : cells) rows.back().push_back(cell(text));
  };
  add(grid.head);
  for (const auto& row : grid.rows) add(row.cells);
  // aligned, for those who read it as text; a very wide column is left ragged
  constexpr std::size_t widest = 40;
  std::vector<std::size_t> widths(grid.head.size(), 3);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], std::min(columns(row[i]), widest));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += "|";
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::size_t used = columns(rows[r][i]);
      const std::string padding(used < widths[i] ? widths[i] - used : 0, ' ');
      out += grid.align[i] == Align::Right ? " " + padding + rows[r][i] + " |" : " " + rows[r][i] + padding + " |";
    }
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += grid.align[i] == Align::Right ? std::string(widths[i] + 1, '-') + ":|"
                                           : ":" + std::string(widths[i] + 1, '-') + "|";
    out += "\n";
  }
  return out;
}

struct Writer {
  std::string out;

  void operator()(const Prose& block) { out += prose(block.text) + "\n\n"; }
  void operator()(const Bullets& block) {
    for (const auto& item : block.items) out += "- " + prose(item) + "\n";
    out += "\n";
  }
  void operator()(const Facts& block) {
    for (const auto& [name, value] : block.items) out += "- " + prose(name) + ": " + words(value) + "\n";
    out += "\n";
  }
  void operator()(const Grid& block) { out += table(block) + "\n"; }
  void operator()(const Lines& block) {
    out += prose(block.label) + ":\n\n";
    std::size_t longest = 2, run = 0;
    for (const auto& line : block.lines) {
      for (const char c : line) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
      run = 0;
    }
    const std::string fence(longest + 1, '`');
    out += fence + "text\n";
    for (const auto& line : block.lines) out += line + "\n";
    out += fence + "\n\n";
  }
  void operator()(const Figures&) {}  // they are in the page
  void operator()(const Machines&) {}
};

}  // namespace

std::string markdown_of(const Document& document) {
  Writer writer;
  writer.out = "# " + prose(document.title) + "\n\n";
  writer(document.facts);
  writer(document.meaning);
  for (const auto& part : document.parts) {
    const bool any = std::any_of(part.blocks.begin(), part.blocks.end(), [](const Block& block) {
      return !std::holds_alternative<Figures>(block) && !std::holds_alternative<Machines>(block);
    });
    if (part.page_only || !any) continue;
    writer.out += std::string(static_cast<std::size_t>(part.level), '#') + " " + prose(part.title) + "\n\n";
    for (const auto& block : part.blocks) std::visit(writer, block);
  }
  while (writer.out.ends_with("\n\n")) writer.out.pop_back();
  return std::move(writer.out);
}

}  // namespace rig::report
