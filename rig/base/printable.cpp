// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace rig {
namespace {

struct Range {
  char32_t first, last;
};

// Line and paragraph separators, marks that reorder or hide text, fillers, tags (Unicode's Cf and
// the like), and private use.
constexpr Range misleading[] = {{0x80, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x115F, 0x1160},
                                {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                                {0x3164, 0x3164}, {0xE000, 0xF8FF}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},
                                {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFC}, {0xFFFE, 0xFFFF}, {0xE0000, 0x10FFFF}};

void put_printable(std::string& out, std::string_view text, bool lines) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const Character character = character_at(text, at);
    if (lines && byte == '\n') {
      out += '\n';
      ++at;
    } else if (byte < 0x20 || byte == 0x7F || character.bytes == 0) {
      out += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : fmt::format("\\x{:02x}", byte);
      ++at;
    } else if (misleads(character.point)) {
      out += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(character.point));
      at += character.bytes;
    } else {
      out += text.substr(at, character.bytes);
      at += character.bytes;
    }
  }
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || at + length > text.size()) return {};
  char32_t point = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3FU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {point, length};
}

bool misleads(char32_t point) {
  return std::any_of(std::begin(misleading), std::end(misleading),
                     [&](const Range& range) { return point >= range.first && point <= range.last; });
}

std::string printable(std::string_view text) {
  std::string out;
  put_printable(out, text, false);
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  put_printable(out, text, true);
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_at(text, at).bytes;
    out += bytes == 0 ? std::string_view("\uFFFD") : text.substr(at, bytes);
    at += std::max<std::size_t>(1, bytes);
  }
  return out;
}

}  // namespace rig
