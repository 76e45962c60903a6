// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/job/text.h"

namespace rig::job {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto last = line.find_last_not_of(" \t\r");
    lines.push_back(last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1));
  }
  return lines;
}

std::vector<std::string_view> whole_lines_of(std::string_view text) {
  const auto end = text.rfind('\n');
  return end == std::string_view::npos ? std::vector<std::string_view>() : lines_of(text.substr(0, end + 1));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const auto start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) return words;
    const auto end = line.find_first_of(" \t", start);
    words.push_back(line.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end);
  }
}

std::string quote(std::string_view text, std::size_t max) {
  std::string out;
  for (const char c : text.substr(0, max)) out += c >= ' ' && c < '\x7f' ? c : '?';
  if (text.size() > max) out += "...";
  return out;
}

std::string last_line(std::string_view text) {
  constexpr std::size_t looked_at = 4096;
  if (text.size() > looked_at) text.remove_prefix(text.size() - looked_at);
  const auto lines = lines_of(text);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!line->empty()) return quote(*line);
  }
  return "";
}

}  // namespace rig::job
