// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/mapping/pieces.h"

#include <algorithm>

namespace rig {

Pieces::Pieces(Tree tree) : tree_(std::move(tree)) {
  pieces_.emplace_back();  // 0: nothing
  cores_.push_back(0);
  find_types();
}

void Pieces::find_types() {
  using Shape = std::tuple<bool, bool, bool, bool, int, int, std::vector<int>>;
  std::map<Shape, int> known;
  type_of_.resize(tree_.vertices.size());
  for (std::size_t i = tree_.vertices.size(); i-- > 0;) {
    const TreeVertex& v = tree_.vertices[i];
    std::vector<int> children;
    for (const int child : v.children) children.push_back(type_of_[index(child)]);
    std::sort(children.begin(), children.end());
    const int self = static_cast<int>(i);
    const auto [entry, fresh] =
        known.try_emplace({v.node, v.package, v.cache, v.core, v.level, v.node_set, children}, self);
    type_of_[i] = entry->second;
    if (!fresh) continue;
    auto& kinds = child_types_[self];
    for (const int child : children) {
      if (kinds.empty() || kinds.back().first != child) kinds.emplace_back(child, 0u);
      ++kinds.back().second;
    }
  }
}

int Pieces::intern(Piece piece) {
  const auto found = ids_.find(piece);
  if (found != ids_.end()) return found->second;
  const int id = static_cast<int>(pieces_.size());
  unsigned cores = 0;
  if (!piece.part) {
    cores = vertex(piece.type).cores;
  } else if (vertex(piece.type).core) {
    cores = 1;
  } else {
    const auto& kinds = child_types_.at(piece.type);
    for (std::size_t k = 0; k < kinds.size(); ++k) cores += piece.counts[k] * vertex(kinds[k].first).cores;
  }
  ids_[piece] = id;
  pieces_.push_back(std::move(piece));
  cores_.push_back(cores);
  return id;
}

int Pieces::whole(int vertex, bool nearer) { return intern({false, nearer, type_of_[index(vertex)], {}}); }

int Pieces::part(int type, std::vector<unsigned> counts) {
  const bool none = std::all_of(counts.begin(), counts.end(), [](unsigned n) { return n == 0; });
  return none ? 0 : intern({true, false, type, std::move(counts)});
}

// A child of a vertex as a whole, for a host vertex that relates CPUs otherwise than the parent does.
int Pieces::child_whole(int type, std::size_t which) {
  const int child = child_types_.at(type)[which].first;
  const TreeVertex &above = vertex(type), &below = vertex(child);
  const bool shares = below.cache && !below.core && !below.children.empty();
  return whole(child, shares && above.cache && above.level != below.level);
}

int Pieces::node_of(int id) const {
  const Piece& it = piece(id);
  if (!it.part) return vertex(it.type).node_set;
  int node = -2;
  const auto& kinds = child_types_.at(it.type);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (it.counts[k] == 0) continue;
    const int own = vertex(kinds[k].first).node_set;
    node = node == -2 || node == own ? own : -1;
  }
  return node;
}

bool Pieces::is_cpu(int id) const {
  const Piece& it = piece(id);
  return !it.part && vertex(it.type).children.empty();
}

bool Pieces::may_lie_in(int id, const TreeVertex& host) const {
  const TreeVertex& top = vertex(piece(id).type);
  if (top.children.empty()) return true;
  // down the host's tree CPUs only share more
  return (!host.node || top.node) && (!host.package || top.package) && (!host.cache || top.cache) &&
         (!host.core || top.core);
}

std::optional<Converted> Pieces::convert(int id, const TreeVertex& host) {
  const Piece it = piece(id);
  int type = it.type;
  if (it.part) {
    // one child that relates its CPUs as this host vertex does, by a nearer cache: it takes the vertex to itself
    unsigned sum = 0;
    std::size_t which = 0;
    for (std::size_t k = 0; k < it.counts.size(); ++k) {
      sum += it.counts[k];
      if (it.counts[k] != 0) which = k;
    }
    if (sum != 1) return std::nullopt;
    type = child_types_.at(it.type)[which].first;
    const TreeVertex& child = vertex(type);
    if (child.children.empty()) return Converted{whole(type, false), 0};
    if (!child.same_kind(host) || !host.is_cache) return std::nullopt;
  } else {
    const TreeVertex& top = vertex(type);
    if (top.children.empty() || !top.same_kind(host) || (it.nearer && !host.is_cache)) return std::nullopt;
  }
  std::vector<unsigned> counts;
  for (const auto& [child, number] : child_types_.at(type)) counts.push_back(number);
  const TreeVertex& top = vertex(type);
  const bool other_level = top.cache && !top.core && top.level != host.level;
  return Converted{part(type, std::move(counts)), other_level ? 1 : 0};
}

std::vector<Portion> Pieces::portions(int id, const TreeVertex& host, const TreeVertex& child) {
  if (id == 0) return {{}};
  const Piece it = piece(id);
  if (!it.part) {
    // the demand for a nearer cache is met once a cache has been passed
    return {{intern({false, it.nearer && !host.is_cache, it.type, {}}), 0}, {0, id}};
  }
  std::vector<Portion> found;
  if (child.same_kind(host)) {
    // every part of the numbers, the largest first
    std::vector<unsigned> counts = it.counts;
    for (bool more = true; more;) {
      std::vector<unsigned> rest = it.counts;
      for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= counts[k];
      found.push_back({part(it.type, counts), part(it.type, std::move(rest))});
      more = false;
      for (std::size_t k = counts.size(); k-- > 0;) {
        if (counts[k] > 0) {
          --counts[k];
          std::copy(it.counts.begin() + static_cast<std::ptrdiff_t>(k) + 1, it.counts.end(),
                    counts.begin() + static_cast<std::ptrdiff_t>(k) + 1);
          more = true;
          break;
        }
      }
    }
    return found;
  }
  for (std::size_t k = 0; k < it.counts.size(); ++k) {
    if (it.counts[k] == 0) continue;
    std::vector<unsigned> rest = it.counts;
    --rest[k];
    found.push_back({child_whole(it.type, k), part(it.type, std::move(rest))});
  }
  found.push_back({0, id});
  return found;
}

int Pieces::without(int id, int given) {
  if (given == 0 || id == 0) return id;
  const Piece from = piece(id), taken = piece(given);
  if (!from.part) return 0;
  std::vector<unsigned> counts = from.counts;
  if (taken.part) {
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] -= taken.counts[k];
  } else {
    const auto& kinds = child_types_.at(from.type);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k].first == taken.type) --counts[k];
    }
  }
  return part(from.type, std::move(counts));
}

std::vector<int> Pieces::opened(int id, const std::vector<int>& vertices) const {
  // a single CPU that was told apart stands for itself
  if (!piece(id).part) return vertices;
  return vertex(vertices.front()).children;
}

std::vector<int> Pieces::take(int id, std::vector<int>& left) const {
  if (id == 0) return {};
  const Piece& it = piece(id);
  std::map<int, unsigned> wanted;
  if (it.part) {
    const auto& kinds = child_types_.at(it.type);
    for (std::size_t k = 0; k < kinds.size(); ++k) wanted[kinds[k].first] = it.counts[k];
  } else {
    wanted[it.type] = 1;
  }
  std::vector<int> taken, rest;
  for (const int v : left) {
    const auto want = wanted.find(type_of_[index(v)]);
    if (want != wanted.end() && want->second > 0) {
      --want->second;
      taken.push_back(v);
    } else {
      rest.push_back(v);
    }
  }
  left = std::move(rest);
  return taken;
}

}  // namespace rig
