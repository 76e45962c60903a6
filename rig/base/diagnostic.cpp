// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/diagnostic.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "rig/base/printable.h"

namespace rig {
namespace {

// Source lines are shown up to this length, so that a hostile file cannot flood the terminal.
constexpr std::size_t max_shown = 160;

// A message may have lines, but no endless ones.
std::string clean(std::string_view text) {
  constexpr std::size_t most = 4000;
  return printable_lines(text.substr(0, most)) + (text.size() > most ? "…" : "");
}

// A line of a file under which a caret shall stand: one column for each byte before it.
std::string shown_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < std::min(text.size(), max_shown);) {
    const Character character = character_at(text, at);
    const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
    const bool plain =
        character.bytes > 0 && character.point >= 0x20 && character.point != 0x7f && !misleads(character.point);
    line += plain ? std::string(text.substr(at, bytes)) : std::string(bytes, ' ');
    at += bytes;
  }
  return line;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; lines.size() < 100000 && std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string render(const Diagnostic& fault, std::string_view source_line) {
  std::string text = printable(fault.pos.file);
  if (fault.pos.line > 0) {
    text += ":" + std::to_string(fault.pos.line) + ":" + std::to_string(std::max(fault.pos.column, 1));
  }
  text += ": ";
  if (!fault.path.empty()) text += clean(fault.path) + ": ";
  text += clean(fault.message);
  if (!source_line.empty() && fault.pos.line > 0) {
    text += "\n    " + shown_line(source_line);
    if (fault.pos.column > 0 && static_cast<std::size_t>(fault.pos.column) <= max_shown) {
      text += "\n    " + std::string(static_cast<std::size_t>(fault.pos.column) - 1, ' ') + "^";
    }
  }
  if (!fault.allowed.empty()) text += "\n  allowed: " + clean(fault.allowed);
  if (!fault.suggestion.empty()) text += "\n  " + clean(fault.suggestion);
  return text;
}

std::string render(std::vector<Diagnostic> faults) {
  std::stable_sort(faults.begin(), faults.end(), [](const auto& a, const auto& b) { return a.pos < b.pos; });
  std::map<std::string, std::vector<std::string>> sources;
  std::string text;
  for (const auto& fault : faults) {
    std::string line;
    if (fault.pos.line > 0) {
      auto [source, fresh] = sources.try_emplace(fault.pos.file);
      if (fresh) source->second = lines_of(fault.pos.file);
      const auto index = static_cast<std::size_t>(fault.pos.line) - 1;
      if (index < source->second.size()) line = source->second[index];
    }
    if (!text.empty()) text += "\n";
    text += render(fault, line);
  }
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > 64) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > 64) continue;
    const std::size_t d = distance(word, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string one_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace rig
