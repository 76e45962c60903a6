// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/error.h"
#include "rig/plan/plan.h"

namespace rig {
namespace {

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(trimmed(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// The cell's value of a key, or nothing where it has no such key.
std::optional<std::string> value_of(const Cell& cell, const Topology& topology, const std::string& key) {
  if (key == "kernel") return cell.kernel;
  if (key == "topology") return cell.topology;
  if (key == "job") return cell.job;
  if (key == "placement") return cell.placement ? to_string(*cell.placement) : "unbound";
  if (key == "peer" && cell.peer) return to_string(cell.peer->asked);
  if (const auto parameter = cell.parameters.find(key); parameter != cell.parameters.end()) return parameter->second;
  for (const auto& setting : topology.swept) {
    if (setting.path == key) return setting.value;
  }
  return std::nullopt;
}

}  // namespace

CellFilter CellFilter::parse(const std::string& text) {
  constexpr const char* form = "write it as kernel=debian-6.1,job=tbench,clients=1|2";
  CellFilter filter;
  for (const auto& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("--only: '{}' is no condition key=value; {}", part, form));
    }
    const std::string key = trimmed(std::string_view(part).substr(0, equals));
    auto values = split(std::string_view(part).substr(equals + 1), '|');
    if (std::any_of(values.begin(), values.end(), [](const auto& value) { return value.empty(); })) {
      throw InputError(fmt::format("--only: '{}' has an empty value; {}", part, form));
    }
    for (const auto& [known, ignored] : filter.conditions) {
      if (known == key)
        throw InputError(fmt::format("--only: '{}' stands twice; give both values as {}=a|b", key, key));
    }
    filter.conditions.emplace_back(key, std::move(values));
  }
  return filter;
}

bool CellFilter::accepts(const Cell& cell, const Topology& topology) const {
  return std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
    const auto& [key, wanted] = condition;
    const auto value = value_of(cell, topology, key);
    return value && std::any_of(wanted.begin(), wanted.end(), [&](const std::string& text) {
             return without_blanks(text) == without_blanks(*value) || (key == "topology" && text == family_of(*value));
           });
  });
}

}  // namespace rig
