// SPDX-License-Identifier: GPL-2.0-or-later
// A piece of a guest's tree is placed below a vertex of the host's tree either whole (somewhere below), or in
// part: so many of the children of a guest vertex, where this host vertex relates CPUs as that guest vertex does.
// Equal subtrees of a guest count as one type, so that pieces are a type and numbers; what a host vertex can hold
// at what cost is remembered. Children of a guest vertex that share a nearer cache take a host cache to
// themselves; all others take different children of the host's vertices.
#include "rig/mapping/embed.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "rig/mapping/pieces.h"

namespace rig {
namespace {

constexpr std::int64_t impossible = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t guests_max = 2;
using PieceIds = std::array<int, guests_max>;  // 0: nothing of that guest

struct Step {
  enum class Kind { Nothing, Leaf, Convert, Share } kind = Kind::Nothing;
  PieceIds to{};                                        // Convert: what stands at the same vertex instead
  std::vector<std::pair<std::size_t, PieceIds>> below;  // Share: the how-manieth host child takes what
};

struct Known {
  std::int64_t cost = impossible;
  Step step;
};

class Embedder {
 public:
  explicit Embedder(const EmbedRequest& request)
      : request_(request), host_(tree_of(*request.host, request.cpus, request.relaxed)) {
    for (const Topology* guest : request.guests) {
      guests_.emplace_back(tree_of(*guest, request.relaxed));
      nested_ = nested_ && guests_.back().tree().nested;
    }
    nested_ = nested_ && host_.nested;
    find_host_types();
  }

  std::optional<std::vector<std::vector<unsigned>>> run() {
    if (!nested_ || host_.vertices.empty()) return std::nullopt;
    PieceIds all{};
    for (std::size_t g = 0; g < guests_.size(); ++g) all[g] = guests_[g].whole(0, false);
    if (solve(0, all) >= impossible) return std::nullopt;
    std::vector<std::vector<unsigned>> cpus;
    std::array<std::vector<int>, guests_max> vertices;
    for (std::size_t g = 0; g < guests_.size(); ++g) {
      cpus.emplace_back(guests_[g].tree().vertices[0].members.size());
      vertices[g] = {0};
    }
    place(0, all, vertices, cpus);
    return cpus;
  }

 private:
  const TreeVertex& host(int v) const { return host_.vertices[static_cast<std::size_t>(v)]; }

  bool memory_fits(const TreeVertex& at, const PieceIds& pieces) const {
    if (request_.relaxed.memory || at.node_set < 0) return true;
    std::array<std::uint64_t, guests_max> need{};
    for (std::size_t g = 0; g < guests_.size(); ++g) {
      if (pieces[g] == 0) continue;
      const int node = guests_[g].node_of(pieces[g]);
      if (node < 0) return true;  // of several nodes: refused elsewhere
      need[g] = request_.guests[g]->nodes[static_cast<std::size_t>(node)].memory;
    }
    const auto& nodes = host_.nodes[static_cast<std::size_t>(at.node_set)];
    const auto usable = [&](std::size_t node, std::size_t g, std::uint64_t bytes) {
      const auto& taken = request_.reserved[g];
      const HostNode& it = request_.host->nodes[node];
      if (!it.allowed || std::find(taken.begin(), taken.end(), node) != taken.end()) return false;
      return !it.memory || *it.memory >= bytes + request_.reserved_bytes[node];
    };
    for (const std::size_t first : nodes) {
      for (const std::size_t second : nodes) {
        const bool one = first == second;
        const bool first_fits = need[0] == 0 || usable(first, 0, need[0] + (one ? need[1] : 0));
        const bool second_fits = need[1] == 0 || usable(second, 1, need[1] + (one ? need[0] : 0));
        if (first_fits && second_fits) return true;
      }
    }
    return false;
  }

  // Host vertices that are alike in all that counts hold the same at the same cost.
  void find_host_types() {
    using Shape = std::tuple<std::array<bool, 5>, int, int, int, std::vector<int>>;
    std::map<Shape, int> known;
    type_of_.resize(host_.vertices.size());
    for (std::size_t i = host_.vertices.size(); i-- > 0;) {
      const TreeVertex& v = host_.vertices[i];
      std::vector<int> children;
      for (const int child : v.children) children.push_back(type_of_[static_cast<std::size_t>(child)]);
      const int cost = v.children.empty() ? request_.cost[v.members.front()] : 0;
      const Shape shape{{v.node, v.package, v.cache, v.core, v.is_cache}, v.level, v.node_set, cost, children};
      type_of_[i] = known.try_emplace(shape, static_cast<int>(i)).first->second;
    }
  }
  int type_of(int v) const { return type_of_[static_cast<std::size_t>(v)]; }

  static std::uint64_t key_of(int type, const PieceIds& pieces) {
    return (static_cast<std::uint64_t>(type) << 40) | (static_cast<std::uint64_t>(pieces[0]) << 20) |
           static_cast<std::uint64_t>(pieces[1]);
  }

  std::int64_t solve(int v, const PieceIds& pieces) {
    if (pieces == PieceIds{}) return 0;
    const std::uint64_t key = key_of(type_of(v), pieces);
    if (const auto found = known_.find(key); found != known_.end()) return found->second.cost;
    Known result = compute(v, pieces);
    const std::int64_t cost = result.cost;
    known_.emplace(key, std::move(result));
    return cost;
  }

  Known compute(int v, const PieceIds& pieces) {
    const TreeVertex& at = host(v);
    unsigned cores = 0;
    for (std::size_t g = 0; g < guests_.size(); ++g) {
      if (pieces[g] == 0) continue;
      cores += guests_[g].cores(pieces[g]);
      if (!guests_[g].may_lie_in(pieces[g], at)) return {};
    }
    if (cores > at.cores || !memory_fits(at, pieces)) return {};
    if (at.core && pieces[0] != 0 && pieces[1] != 0) return {};
    Known best;
    const auto offer = [&](std::int64_t cost, Step step) {
      if (cost < best.cost) best = {cost, std::move(step)};
    };
    for (std::size_t g = 0; g < guests_.size(); ++g) {
      if (pieces[g] == 0) continue;
      if (const auto converted = guests_[g].convert(pieces[g], at)) {
        PieceIds to = pieces;
        to[g] = converted->piece;
        const std::int64_t cost = solve(v, to) + converted->cost;
        Step step;
        step.kind = Step::Kind::Convert;
        step.to = to;
        offer(cost, std::move(step));
      }
    }
    if (at.children.empty()) {
      const std::size_t g = pieces[0] != 0 ? 0 : 1;
      if (pieces[1 - g] == 0 && guests_[g].is_cpu(pieces[g])) {
        Step step;
        step.kind = Step::Kind::Leaf;
        offer(request_.cost[at.members.front()], std::move(step));
      }
      return best;
    }
    std::map<std::pair<std::size_t, PieceIds>, std::pair<std::int64_t, PieceIds>> shares;
    const std::int64_t cost = share(at, 0, pieces, shares);
    if (cost >= best.cost) return best;
    Step step;
    step.kind = Step::Kind::Share;
    PieceIds rest = pieces;
    for (std::size_t c = 0; c < at.children.size() && rest != PieceIds{};) {
      const PieceIds given = shares.at({c, rest}).second;
      if (given == PieceIds{}) {
        c = past_alike(at, c);
        continue;
      }
      step.below.emplace_back(c++, given);
      for (std::size_t g = 0; g < guests_.size(); ++g) rest[g] = guests_[g].without(rest[g], given[g]);
    }
    offer(cost, std::move(step));
    return best;
  }

  std::size_t past_alike(const TreeVertex& at, std::size_t c) const {
    std::size_t next = c + 1;
    while (next < at.children.size() && type_of(at.children[next]) == type_of(at.children[c])) ++next;
    return next;
  }

  // The least cost of placing what is left below the children from c on.
  std::int64_t share(const TreeVertex& at, std::size_t c, const PieceIds& rest,
                     std::map<std::pair<std::size_t, PieceIds>, std::pair<std::int64_t, PieceIds>>& shares) {
    if (rest == PieceIds{}) return 0;
    if (c == at.children.size()) return impossible;
    if (const auto found = shares.find({c, rest}); found != shares.end()) return found->second.first;
    unsigned room = 0, need = 0;
    for (std::size_t i = c; i < at.children.size(); ++i) room += host(at.children[i]).cores;
    for (std::size_t g = 0; g < guests_.size(); ++g) need += rest[g] == 0 ? 0 : guests_[g].cores(rest[g]);
    std::pair<std::int64_t, PieceIds> best{impossible, PieceIds{}};
    if (need <= room || at.core) {
      const TreeVertex& child = host(at.children[c]);
      const auto first = guests_[0].portions(rest[0], at, child);
      const auto second = guests_.size() > 1 ? guests_[1].portions(rest[1], at, child) : std::vector<Portion>{{}};
      for (const Portion& one : first) {
        for (const Portion& other : second) {
          const std::int64_t here = solve(at.children[c], {one.piece, other.piece});
          if (here >= best.first) continue;
          // where one of several alike takes nothing, those after it need not be asked
          const bool nothing = one.piece == 0 && other.piece == 0;
          const std::int64_t cost =
              here + share(at, nothing ? past_alike(at, c) : c + 1, {one.rest, other.rest}, shares);
          if (cost < best.first) best = {cost, {one.piece, other.piece}};
        }
      }
    }
    shares[{c, rest}] = best;
    return best.first;
  }

  // vertices: of each guest the concrete vertices that the piece stands for.
  void place(int v, const PieceIds& pieces, const std::array<std::vector<int>, guests_max>& vertices,
             std::vector<std::vector<unsigned>>& cpus) {
    const Step& step = known_.at(key_of(type_of(v), pieces)).step;
    switch (step.kind) {
      case Step::Kind::Nothing:
        return;
      case Step::Kind::Leaf:
        for (std::size_t g = 0; g < guests_.size(); ++g) {
          if (pieces[g] == 0) continue;
          const auto& leaf = guests_[g].tree().vertices[static_cast<std::size_t>(vertices[g].front())];
          cpus[g][leaf.members.front()] = request_.cpus[host(v).members.front()];
        }
        return;
      case Step::Kind::Convert: {
        auto next = vertices;
        for (std::size_t g = 0; g < guests_.size(); ++g) {
          if (step.to[g] != pieces[g]) next[g] = guests_[g].opened(step.to[g], vertices[g]);
        }
        place(v, step.to, next, cpus);
        return;
      }
      case Step::Kind::Share: {
        auto left = vertices;
        for (const auto& [child, given] : step.below) {
          std::array<std::vector<int>, guests_max> taken;
          for (std::size_t g = 0; g < guests_.size(); ++g) taken[g] = guests_[g].take(given[g], left[g]);
          place(host(v).children[child], given, taken, cpus);
        }
        return;
      }
    }
  }

  const EmbedRequest& request_;
  HostTree host_;
  std::vector<Pieces> guests_;
  std::vector<int> type_of_;  // of each host vertex: one that is alike
  bool nested_ = true;
  std::unordered_map<std::uint64_t, Known> known_;
};

}  // namespace

std::optional<std::vector<std::vector<unsigned>>> embed(const EmbedRequest& request) { return Embedder(request).run(); }

}  // namespace rig
