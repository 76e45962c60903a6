// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/error.h"
#include "rig/config/config.h"

namespace rig {
namespace {

// Where the line begins; npos past the end.
std::size_t line_start(const std::string& text, int line) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  return at;
}

// The end of the scalar that begins here: of a quoted one behind its quote, else before what ends it.
std::size_t scalar_end(const std::string& text, std::size_t begin, bool flow) {
  const char quote = text[begin];
  if (quote == '"' || quote == '\'') {
    const std::size_t end = text.find(quote, begin + 1);
    return end == std::string::npos ? end : end + 1;
  }
  std::size_t end = begin;
  while (end < text.size() && text[end] != '\n' && text[end] != ' ' && text[end] != '\t' && text[end] != '\r' &&
         !(flow && (text[end] == ',' || text[end] == '}'))) {
    ++end;
  }
  return end;
}

// Whether the map is written {…}: a brace opens before the value in its line and does not close.
bool in_braces(std::string_view before) {
  int depth = 0;
  for (const char c : before) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  return depth > 0;
}

}  // namespace

std::string with_checksum(const std::string& definition, const SourcePos& place, const std::string& sha256) {
  const std::size_t start = line_start(definition, place.line);
  const std::size_t begin = start == std::string::npos ? start : start + static_cast<std::size_t>(place.column - 1);
  if (place.line < 1 || place.column < 1 || begin >= definition.size()) {
    throw InputError(place.file + " has changed meanwhile: there is no line " + std::to_string(place.line));
  }
  const std::string before = definition.substr(start, begin - start);
  const bool flow = in_braces(before);
  const std::size_t end = scalar_end(definition, begin, flow);
  if (end == std::string::npos) throw InputError(place.file + ": the value there does not end in its line");
  std::string text = definition;
  if (flow) return text.insert(end, ", sha256: " + sha256);
  // A line of its own, below the key: "- url:" of a list is as wide as two more spaces.
  std::string indent;
  for (const char c : before.substr(0, before.find_first_not_of(" -"))) indent += c == '-' ? ' ' : c;
  const std::size_t newline = definition.find('\n', end);
  const std::string line = indent + "sha256: " + sha256 + "\n";
  if (newline == std::string::npos) return text + "\n" + line;
  return text.insert(newline + 1, line);
}

}  // namespace rig
