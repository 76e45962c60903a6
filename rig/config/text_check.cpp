// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/text_check.h"

#include <algorithm>

namespace rig::yaml {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The length of the UTF-8 sequence at this place, 0 where there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF).
std::size_t sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[at + i])) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(i + 1);
  }
  return starts;
}

}  // namespace

std::optional<NonText> find_non_text(std::string_view text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0) return NonText{"a NUL byte", line};
    if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F) {
      return NonText{"a control character", line};
    }
    const std::size_t length = sequence(text, i);
    if (length == 0) return NonText{"bytes that are not UTF-8", line};
    if (byte == '\n') ++line;
    i += length;
  }
  return std::nullopt;
}

bool tab_indents(std::string_view text, int line) {
  const auto starts = line_starts(text);
  for (int candidate = std::max(1, line - 1); candidate <= line; ++candidate) {
    if (static_cast<std::size_t>(candidate) > starts.size()) break;
    const auto rest = text.substr(starts[static_cast<std::size_t>(candidate) - 1]);
    const auto indentation = rest.substr(0, rest.find_first_not_of(" \t"));
    if (indentation.find('\t') != std::string_view::npos) return true;
  }
  return false;
}

LineIndex::LineIndex(std::string_view text) : text_(text), starts_(line_starts(text)) {}

Mark LineIndex::place(int line, int byte_column) const {
  Mark mark{line + 1, byte_column + 1};
  if (line < 0 || static_cast<std::size_t>(line) >= starts_.size()) return mark;
  const auto bytes = std::string_view(text_).substr(starts_[static_cast<std::size_t>(line)],
                                                    static_cast<std::size_t>(std::max(0, byte_column)));
  mark.column = 1 + static_cast<int>(std::count_if(bytes.begin(), bytes.end(), [](char c) { return !continues(c); }));
  return mark;
}

}  // namespace rig::yaml
