// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/order.h"

#include <map>
#include <tuple>
#include <utility>

namespace rig {
namespace {

template <class T>
void shuffle(std::vector<T>& values, std::mt19937_64& generator) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(draw_below(generator, i))]);
  }
}

// Groups of cells that differ in the kernel alone, in the order of their first cells.
std::vector<std::vector<std::size_t>> comparisons(const std::vector<Cell>& cells) {
  using Key =
      std::tuple<std::string, std::string, std::map<std::string, std::string>, std::optional<Relation>, std::string>;
  std::map<Key, std::size_t> index;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    const auto [group, fresh] = index.try_emplace(
        Key{cell.topology, cell.job, cell.parameters, cell.placement, cell.peer ? to_string(cell.peer->asked) : ""},
        groups.size());
    if (fresh) groups.emplace_back();
    groups[group->second].push_back(i);
  }
  return groups;
}

}  // namespace

std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
  // Numbers below 2^64 mod bound are drawn again: without them every remainder is equally likely.
  const std::uint64_t excess = (0 - bound) % bound;
  std::uint64_t number = generator();
  while (number < excess) number = generator();
  return number % bound;
}

std::vector<Attempt> interleave(const std::vector<Cell>& cells, int repetitions, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  auto groups = comparisons(cells);
  std::vector<Attempt> order;
  order.reserve(cells.size() * static_cast<std::size_t>(repetitions));
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    shuffle(groups, generator);
    for (auto& group : groups) {
      shuffle(group, generator);
      for (const std::size_t cell : group) order.push_back({cell, repetition});
    }
  }
  return order;
}

}  // namespace rig
