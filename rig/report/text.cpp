// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rig::report {
namespace {

struct Range {
  char32_t first, last;
};

constexpr Range combining[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},  {0x64B, 0x65F},
                               {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE20, 0xFE2F}};
constexpr Range wide[] = {{0x1100, 0x115E}, {0x2E80, 0x303E},   {0x3041, 0x33FF},  {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},
                          {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6F}, {0xFF00, 0xFF60},
                          {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool in(char32_t point, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return point >= range.first && point <= range.last; });
}

}  // namespace

std::string plain_json(std::string json) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  if (std::all_of(json.begin(), json.end(), plain)) return json;
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const Character character = character_at(json, at);
    const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
    if (character.point != 0x7F && !misleads(character.point)) {
      out.append(json, at, bytes);
    } else if (character.point > 0xFFFF) {  // as two surrogates
      const auto rest = static_cast<unsigned>(character.point) - 0x10000U;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800U + (rest >> 10U), 0xDC00U + (rest & 0x3FFU));
    } else {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(character.point));
    }
    at += bytes;
  }
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    count += in(character.point, combining) ? 0 : in(character.point, wide) ? 2 : 1;
    at += std::max<std::size_t>(1, character.bytes);
  }
  return count;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t used = 0;
  bool fresh = true;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t length = columns(word);
    if (!fresh && used + 1 + length > width) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
      fresh = true;
    }
    if (!fresh) out += ' ', ++used;
    out += word;
    used += length;
    fresh = false;
  }
  return out;
}

int decimals_for(double largest) {
  if (!(largest > 0)) return 0;
  const int before = static_cast<int>(std::floor(std::log10(largest))) + 1;
  return std::clamp(7 - before, 0, largest >= 1 ? 3 : 12);
}

std::string figure(double value, int decimals) {
  constexpr double widest = 1e15;
  return std::abs(value) < widest ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.6g}", value);
}

std::string percent(double share) {
  const double value = 100 * share;
  return fmt::format("{:.{}f} %", value, value != 0 && value < 0.995 ? 2 : value < 9.95 ? 1 : 0);
}

void Table::row(std::vector<std::string> cells, std::string tail) {
  lines_.push_back({false, std::move(cells), 0, std::move(tail)});
}

void Table::heading(std::string text, std::size_t column, std::string at_column) {
  lines_.push_back({true, {std::move(text), std::move(at_column)}, column});
}

bool Table::has_rows() const {
  return std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return !line.is_heading; });
}

std::string Table::render(std::size_t indent, std::size_t first_limit) const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& line : lines_) {
    for (std::size_t i = 0; !line.is_heading && i < line.cells.size(); ++i) {
      const std::size_t width = columns(line.cells[i]);
      if (i > 0 || width <= first_limit) widths[i] = std::max(widths[i], width);
    }
  }
  // Columns that are empty in every row take no place.
  const auto gap = [&](std::size_t i) { return widths[i] == 0 ? std::size_t{0} : std::size_t{2}; };
  const auto start_of = [&](std::size_t column) {
    std::size_t at = indent;
    for (std::size_t i = 0; i < column; ++i) at += widths[i] + gap(i);
    return at;
  };
  std::string out;
  const auto finish = [&](std::string& text) {
    text.resize(text.find_last_not_of(' ') == std::string::npos ? 0 : text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  for (const auto& line : lines_) {
    std::string text;
    if (line.is_heading) {
      text = line.cells[0];
      if (!line.cells[1].empty()) {
        const std::size_t start = start_of(line.column), used = columns(text);
        text += std::string(used + 2 <= start ? start - used : 2, ' ') + line.cells[1];
      }
      finish(text);
      continue;
    }
    text = std::string(indent, ' ');
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      std::string cell = line.cells[i];
      if (i == 0 && columns(cell) > first_limit) {
        std::string alone = std::string(indent, ' ') + cell;
        finish(alone);
        cell.clear();
      }
      const std::size_t width = columns(cell);
      const std::string padding(widths[i] > width ? widths[i] - width : 0, ' ');
      text += (alignment_[i] == Align::Right ? padding + cell : cell + padding) + std::string(gap(i), ' ');
    }
    text += line.tail;
    finish(text);
  }
  return out;
}

}  // namespace rig::report
