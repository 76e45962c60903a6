// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/mapping/pair_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/topology/topology.h"

namespace rig {
namespace {

using Graph = std::map<unsigned, std::set<unsigned>>;
constexpr std::size_t told = 6;  // groups or pairs in a sentence

std::string list(const std::vector<unsigned>& cpus) { return format_cpu_list({cpus.begin(), cpus.end()}); }

std::vector<unsigned> component(const Graph& graph, unsigned start, std::set<unsigned>& seen) {
  std::vector<unsigned> found, open = {start};
  seen.insert(start);
  while (!open.empty()) {
    const unsigned cpu = open.back();
    open.pop_back();
    found.push_back(cpu);
    for (const unsigned next : graph.at(cpu)) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The parts of a group in which CPUs are paired with all of the other parts and none of their own; nothing where
// it is no such group.
std::vector<std::vector<unsigned>> parts_of(const Graph& graph, const std::vector<unsigned>& group) {
  std::map<std::set<unsigned>, std::vector<unsigned>> by_neighbours;
  for (const unsigned cpu : group) by_neighbours[graph.at(cpu)].push_back(cpu);
  std::vector<std::vector<unsigned>> parts;
  for (const auto& [neighbours, part] : by_neighbours) {
    if (neighbours.size() + part.size() != group.size()) return {};
    parts.push_back(part);
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string describe_group(const Graph& graph, const std::vector<unsigned>& group) {
  const auto parts = parts_of(graph, group);
  std::vector<std::string> words;
  if (parts.size() == group.size() && group.size() > 2) return list(group) + " among themselves";
  for (const auto& part : parts) words.push_back(list(part));
  if (!words.empty()) return joined(words);
  std::size_t pairs = 0;
  for (const unsigned a : group) {
    for (const unsigned b : graph.at(a)) {
      if (b > a && ++pairs <= told) words.push_back(fmt::format("{} with {}", a, b));
    }
  }
  if (pairs > told) words.push_back(fmt::format("{} more pairs of {}", pairs - told, list(group)));
  return joined(words);
}

}  // namespace

std::string describe_pairs(const std::vector<std::pair<unsigned, unsigned>>& pairs) {
  Graph graph;
  for (const auto& [a, b] : pairs) {
    graph[a].insert(b);
    graph[b].insert(a);
  }
  std::string text;
  std::size_t groups = 0;
  std::set<unsigned> seen;
  for (const auto& [cpu, neighbours] : graph) {
    if (seen.contains(cpu)) continue;
    const auto group = component(graph, cpu, seen);
    if (++groups > told) continue;
    text += (groups == 1 ? "" : ", ") + describe_group(graph, group);
  }
  if (groups > told) text += fmt::format(", and {} more such groups,", groups - told);
  return text;
}

}  // namespace rig
