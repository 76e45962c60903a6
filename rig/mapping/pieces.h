// SPDX-License-Identifier: GPL-2.0-or-later
// The pieces into which embedding takes a guest's tree: a subtree as a whole, or some children of a vertex.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "rig/mapping/tree.h"

namespace rig {

// What one host child takes of a piece, and what is left; 0 is nothing.
struct Portion {
  int piece = 0, rest = 0;
};
struct Converted {
  int piece = 0;
  std::int64_t cost = 0;
};

class Pieces {
 public:
  explicit Pieces(Tree tree);

  const Tree& tree() const { return tree_; }
  // A subtree. nearer: the cache its CPUs share must lie within the host vertex it comes to.
  int whole(int vertex, bool nearer);

  unsigned cores(int piece) const { return cores_[index(piece)]; }
  int node_of(int piece) const;  // guest NUMA node of all its CPUs, -1: of several
  bool is_cpu(int piece) const;  // a single CPU as a whole
  // Whether what lies within this host vertex can relate its CPUs so.
  bool may_lie_in(int piece, const TreeVertex& host) const;
  // A subtree opened at this host vertex, which relates CPUs as the subtree's top does.
  std::optional<Converted> convert(int piece, const TreeVertex& host);
  // What a child of a host vertex can take.
  std::vector<Portion> portions(int piece, const TreeVertex& host, const TreeVertex& child);
  int without(int piece, int given);

  // Concrete vertices of pieces: those of an opened subtree; those that a piece takes out of what is left.
  std::vector<int> opened(int piece, const std::vector<int>& vertices) const;
  std::vector<int> take(int piece, std::vector<int>& left) const;

 private:
  // whole: type; part: children of type, counted in the order of child_types_[type].
  struct Piece {
    bool part = false, nearer = false;
    int type = 0;
    std::vector<unsigned> counts;
    auto operator<=>(const Piece&) const = default;
  };
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  const TreeVertex& vertex(int v) const { return tree_.vertices[index(v)]; }
  const Piece& piece(int id) const { return pieces_[index(id)]; }
  int intern(Piece piece);
  int part(int type, std::vector<unsigned> counts);
  int child_whole(int type, std::size_t which);
  void find_types();

  Tree tree_;
  std::vector<int> type_of_;  // of each vertex: the first vertex with an equal subtree
  std::map<int, std::vector<std::pair<int, unsigned>>> child_types_;  // of each type: its children's, with numbers
  std::vector<Piece> pieces_;
  std::vector<unsigned> cores_;  // of each piece
  std::map<Piece, int> ids_;
};

}  // namespace rig
