// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/config.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

constexpr std::string_view allowed_values = "y, n, m, a number, 0x and hexadecimal digits, or a \"quoted string\"";
constexpr std::string_view not_set = " is not set";

bool is_symbol(std::string_view word) {
  if (!word.starts_with("CONFIG_") || word.size() == 7) return false;
  return std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool all_digits(std::string_view text, bool hexadecimal) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return hexadecimal ? std::isxdigit(c) != 0 : std::isdigit(c) != 0;
  });
}

// Closed by its last character and by no quote before it.
bool is_quoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1 == text.size();
  }
  return false;
}

bool is_value(std::string_view text) {
  if (text == "y" || text == "n" || text == "m" || is_quoted(text)) return true;
  if (text.starts_with("0x") || text.starts_with("0X")) return all_digits(text.substr(2), true);
  return all_digits(text.starts_with("-") ? text.substr(1) : text, false);
}

// A trailing comment, only where it is outside quotes.
std::string_view without_comment(std::string_view line, std::string_view& comment) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == '#' && !quoted && i > 0 && std::isspace(static_cast<unsigned char>(line[i - 1])) != 0) {
      comment = trim(line.substr(i + 1));
      return trim(line.substr(0, i));
    }
  }
  return line;
}

// "optional", "since 2.6.38", "before 3.10", "since 2.6.25 before 3.10". Any other comment says nothing;
// one that begins so and goes on otherwise is a fault.
bool read_condition(std::string_view comment, ConfigLine& line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = comment.find_first_not_of(" ,\t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(comment.find_first_of(" ,\t", at), comment.size());
    words.push_back(comment.substr(at, end - at));
    at = end;
  }
  if (words.empty()) return true;
  if (words[0] == "optional" && words.size() == 1) {
    line.optional = true;
    return true;
  }
  if (words[0] != "since" && words[0] != "before") return true;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    auto& end = words[i] == "since" ? line.range.since : line.range.before;
    if ((words[i] != "since" && words[i] != "before") || i + 1 == words.size() || end) return false;
    end = parse_version(words[i + 1]);
    if (!end) return false;
  }
  return !line.range.since || !line.range.before || *line.range.since < *line.range.before;
}

std::optional<unsigned long long> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  unsigned long long value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = hexadecimal(a), y = hexadecimal(b);
  return x && y && *x == *y;
}

}  // namespace

std::vector<ConfigLine> parse_fragment(const std::string& file, std::string_view text,
                                       std::vector<Diagnostic>& faults) {
  std::vector<ConfigLine> lines;
  int number = 0;
  for (const auto raw : lines_of(text)) {
    ++number;
    std::string_view line = trim(raw);
    const SourcePos pos{file, number, 1};
    ConfigLine found{.pos = pos};
    std::string_view condition;
    if (line.starts_with('#')) {
      const std::string_view comment = without_comment(trim(line.substr(1)), condition);
      if (!comment.ends_with(not_set)) continue;
      const std::string_view symbol = comment.substr(0, comment.size() - not_set.size());
      if (!is_symbol(symbol)) continue;
      found.symbol = symbol;
      found.value = "n";
    } else if (line.empty()) {
      continue;
    } else {
      line = without_comment(line, condition);
      const std::size_t equals = line.find('=');
      found.symbol = line.substr(0, equals);
      if (equals == std::string_view::npos || !is_symbol(found.symbol)) {
        faults.push_back({pos, "", "this is no configuration line",
                          "CONFIG_X=value, # CONFIG_X is not set, # a comment, or an empty line", ""});
        continue;
      }
      found.value = line.substr(equals + 1);
      if (!is_value(found.value)) {
        faults.push_back({{file, number, static_cast<int>(raw.find('=')) + 2},
                          "",
                          found.symbol + " cannot have the value '" + found.value + "'",
                          std::string(allowed_values),
                          ""});
        continue;
      }
    }
    if (!read_condition(condition, found)) {
      faults.push_back({{file, number, static_cast<int>(raw.find(condition)) + 1},
                        "",
                        "'" + std::string(condition) + "' is no range of kernel versions",
                        "since 2.6.38, before 3.10, or since 2.6.25 before 3.10",
                        ""});
      continue;
    }
    bool again = false;
    for (const auto& before : lines) {
      if (before.symbol != found.symbol || !before.range.overlaps(found.range)) continue;
      again = before.value == found.value && before.range.since == found.range.since &&
              before.range.before == found.range.before;
      if (again || before.value == found.value) continue;
      faults.push_back(
          {pos, "",
           found.symbol + " has the value " + before.value + " already in line " + std::to_string(before.pos.line), "",
           "remove one of the two lines"});
      again = true;
      break;
    }
    if (!again) lines.push_back(std::move(found));
  }
  return lines;
}

std::vector<ConfigLine> parse_set(const std::map<std::string, std::string>& set, std::vector<Diagnostic>& faults) {
  std::vector<ConfigLine> lines;
  for (const auto& [symbol, value] : set) {
    const std::string path = "config.set." + symbol;
    if (!is_symbol(symbol)) {
      faults.push_back({{}, path, "this is no configuration symbol", "CONFIG_ and letters, digits or _", ""});
    } else if (!is_value(value)) {
      faults.push_back(
          {{}, path, "the value '" + value + "' is no configuration value", std::string(allowed_values), ""});
    } else {
      lines.push_back({.symbol = symbol, .value = value});
    }
  }
  return lines;
}

std::vector<ConfigLine> lines_for(const std::vector<ConfigLine>& lines, const std::optional<KernelVersion>& version) {
  std::vector<ConfigLine> found;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(found),
               [&](const ConfigLine& line) { return line.range.holds(version); });
  return found;
}

std::vector<std::string> left_out(const std::vector<ConfigLine>& lines, const std::optional<KernelVersion>& version) {
  std::vector<std::string> found;
  for (const auto& line : lines) {
    if (!line.range.holds(version)) found.push_back(line.symbol + " (" + to_string(line.range) + ")");
  }
  return found;
}

std::vector<ConfigLine> merge_config(const std::vector<std::vector<ConfigLine>>& parts) {
  std::vector<ConfigLine> backwards;
  std::set<std::string> known;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    for (auto line = part->rbegin(); line != part->rend(); ++line) {
      if (known.insert(line->symbol).second) backwards.push_back(*line);
    }
  }
  std::reverse(backwards.begin(), backwards.end());
  return backwards;
}

std::string allconfig_text(const std::vector<ConfigLine>& request) {
  std::string text;
  for (const auto& line : request) {
    if (line.optional) text += "# optional:\n";
    text += line.value == "n" ? "# " + line.symbol + " is not set\n" : line.symbol + "=" + line.value + "\n";
  }
  return text;
}

DotConfig parse_dotconfig(std::string_view text) {
  DotConfig config;
  for (const auto raw : lines_of(text)) {
    const std::string_view line = trim(raw);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_symbol(line.substr(0, equals))) continue;
    config[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return config;
}

std::vector<Unstuck> unstuck(const std::vector<ConfigLine>& request, const DotConfig& config) {
  std::vector<Unstuck> result;
  for (const auto& line : request) {
    const auto found = config.find(line.symbol);
    const std::string got = found == config.end() ? "n" : found->second;
    if (!same_value(got, line.value)) result.push_back({line, got == "n" ? "not set" : got});
  }
  return result;
}

std::string asked_value(const std::vector<ConfigLine>& request, std::string_view symbol) {
  for (const auto& line : request) {
    if (line.symbol == symbol) return line.value;
  }
  return "";
}

}  // namespace rig::kernel
