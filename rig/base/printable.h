// SPDX-License-Identifier: GPL-2.0-or-later
// Text from outside, made safe for terminals and pages. Names, files and guests may hold any bytes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace rig {

// Safe to print on one line: control characters, bytes that are no UTF-8, and characters that turn
// or hide text (bidirectional marks, zero width) as \x1b or \u{202e}.
std::string printable(std::string_view text);

// The same of text that has lines: they stay.
std::string printable_lines(std::string_view text);

// The text with U+FFFD for each byte that is no UTF-8; nothing else is changed.
std::string valid_utf8(std::string_view text);

struct Character {
  char32_t point = 0;
  std::size_t bytes = 0;  // 0: no UTF-8 here
};
Character character_at(std::string_view text, std::size_t at);

// Whether a character turns, hides or commands: line separators, bidirectional marks, fillers, tags (Unicode's Cf
// and the like), C1 controls, private use.
bool misleads(char32_t point);

}  // namespace rig
