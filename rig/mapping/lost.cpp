// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "rig/base/units.h"
#include "rig/mapping/finish.h"
#include "rig/mapping/mapping.h"
#include "rig/mapping/pair_text.h"
#include "rig/mapping/relations.h"

namespace rig {
namespace {

std::string cache_text(int level) { return level == 0 ? "no cache" : fmt::format("an L{}", level); }

// What is lost of one pair: the kind and the two sides of its sentence, "%" where the CPUs stand.
struct Loss {
  LostKind kind;
  std::string guest, host;
  int cache = 0;
  bool operator<(const Loss& other) const {
    return std::tie(kind, guest, host, cache) < std::tie(other.kind, other.guest, other.host, other.cache);
  }
};

class Judge {
 public:
  Judge(const Host& host, const Topology& guest, const std::vector<unsigned>& cpu_of_vcpu)
      : host_(host),
        guest_(guest),
        cpus_(distinct(cpu_of_vcpu)),
        of_guest_(pair_relations(guest)),
        of_host_(pair_relations(host, cpus_)) {
    for (const unsigned os : cpu_of_vcpu) {
      place_.push_back(static_cast<std::size_t>(std::lower_bound(cpus_.begin(), cpus_.end(), os) - cpus_.begin()));
    }
  }

  std::vector<LostRelation> relations() const {
    std::map<Loss, std::vector<std::pair<unsigned, unsigned>>> found;
    for (std::size_t a = 0; a < place_.size(); ++a) {
      for (std::size_t b = a + 1; b < place_.size(); ++b) {
        for (const auto& loss : judge(a, b)) {
          found[loss].emplace_back(static_cast<unsigned>(a), static_cast<unsigned>(b));
        }
      }
    }
    std::vector<LostRelation> lost;
    for (auto& [loss, pairs] : found) {
      LostRelation relation;
      relation.kind = loss.kind;
      relation.cache = loss.cache;
      relation.text = fmt::format("CPUs {} {}; {}", describe_pairs(pairs), loss.guest, loss.host);
      relation.pairs = std::move(pairs);
      lost.push_back(std::move(relation));
    }
    return lost;
  }

 private:
  static std::vector<unsigned> distinct(std::vector<unsigned> cpus) {
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    return cpus;
  }

  std::vector<Loss> judge(std::size_t a, std::size_t b) const {
    const PairRelation& asked = of_guest_.at(a, b);
    if (place_[a] == place_[b])
      return {{LostKind::Core, "are CPUs of their own", "they have one host CPU between them"}};
    const PairRelation& given = of_host_.at(place_[a], place_[b]);
    std::vector<Loss> lost;
    if (asked.core != given.core) {
      lost.push_back(asked.core ? Loss{LostKind::Core, "are SMT siblings", "their host CPUs are not"}
                                : Loss{LostKind::Core, "are cores of their own", "their host CPUs are SMT siblings"});
    } else if (!asked.core) {
      if (host_.caches.empty()) {
        lost.push_back(
            {LostKind::Cache, "share " + cache_text(asked.cache), "the host's caches are not known", asked.cache});
      } else if ((asked.cache == 0) != (given.cache == 0)) {
        lost.push_back({LostKind::Cache, "share " + cache_text(asked.cache),
                        "their host CPUs share " + cache_text(given.cache), asked.cache});
      } else if (nearness_lost(of_guest_, of_host_, place_, a, b)) {
        lost.push_back({LostKind::Nearness,
                        fmt::format("share {}, nearer than what they share with others", cache_text(asked.cache)),
                        fmt::format("their host CPUs share {}, as with others", cache_text(given.cache)), asked.cache});
      }
    }
    if (asked.node != given.node) {
      lost.push_back(asked.node ? Loss{LostKind::Node, "are of one NUMA node", "their host CPUs are of different ones"}
                                : Loss{LostKind::Node, "are of different NUMA nodes", "their host CPUs are of one"});
    }
    if (asked.package != given.package) {
      lost.push_back(asked.package
                         ? Loss{LostKind::Package, "are of one package", "their host CPUs are of different ones"}
                         : Loss{LostKind::Package, "are of different packages", "their host CPUs are of one"});
    }
    return lost;
  }

  const Host& host_;
  const Topology& guest_;
  std::vector<unsigned> cpus_;
  RelationTable of_guest_, of_host_;
  std::vector<std::size_t> place_;
};

}  // namespace

std::string memory_fault(const Host& host, const Topology& guest, const std::vector<unsigned>& cpu_of_vcpu,
                         const std::vector<std::optional<unsigned>>& nodes, std::size_t n) {
  const std::string what = fmt::format("NUMA node {}'s {}", n, format_bytes(guest.nodes[n].memory));
  if (n >= nodes.size() || !nodes[n]) return what + " has no host node that could hold it";
  const HostNode* node = find_node(host, *nodes[n]);
  if (node == nullptr || !node->allowed)
    return fmt::format("{} lies in host node {}, which may not be used", what, *nodes[n]);
  std::uint64_t sum = 0;
  for (std::size_t other = 0; other < guest.nodes.size() && other < nodes.size(); ++other) {
    if (nodes[other] == nodes[n]) sum += guest.nodes[other].memory;
  }
  if (node->memory && *node->memory < sum) {
    return fmt::format("{} does not fit into host node {} of {}", what, node->os, format_bytes(*node->memory));
  }
  for (std::size_t other = 0; other < n && other < nodes.size(); ++other) {
    if (nodes[other] == nodes[n])
      return fmt::format("{} lies in host node {} with that of node {}", what, node->os, other);
  }
  for (const int cpu : guest.nodes[n].cpus) {
    const unsigned os = cpu_of_vcpu[static_cast<std::size_t>(cpu)];
    const auto near = nearest_nodes(host, os);
    const bool local =
        std::any_of(near.begin(), near.end(), [&](std::size_t i) { return host.nodes[i].os == node->os; });
    if (!local)
      return fmt::format("{} lies in host node {}, far from host CPU {} of its CPU {}", what, node->os, os, cpu);
  }
  return "";
}

std::string to_string(LostKind kind) {
  switch (kind) {
    case LostKind::Core:
      return "core";
    case LostKind::Cache:
      return "cache";
    case LostKind::Nearness:
      return "nearness";
    case LostKind::Node:
      return "node";
    case LostKind::Memory:
      return "memory";
    case LostKind::Package:
      return "package";
  }
  return "";
}

std::vector<LostRelation> lost_relations(const Host& host, const Topology& guest,
                                         const std::vector<unsigned>& cpu_of_vcpu,
                                         const std::vector<std::optional<unsigned>>& node_of_guest_node) {
  std::vector<LostRelation> lost = Judge(host, guest, cpu_of_vcpu).relations();
  for (std::size_t n = 0; n < guest.nodes.size(); ++n) {
    LostRelation relation;
    relation.kind = LostKind::Memory;
    relation.guest_node = static_cast<unsigned>(n);
    relation.text = memory_fault(host, guest, cpu_of_vcpu, node_of_guest_node, n);
    if (!relation.text.empty()) lost.push_back(std::move(relation));
  }
  std::stable_sort(lost.begin(), lost.end(),
                   [](const LostRelation& a, const LostRelation& b) { return a.kind < b.kind; });
  return lost;
}

bool carries(const Mapping& mapping, unsigned a, unsigned b) {
  const std::pair wanted(std::min(a, b), std::max(a, b));
  return std::none_of(mapping.lost.begin(), mapping.lost.end(), [&](const LostRelation& relation) {
    return std::binary_search(relation.pairs.begin(), relation.pairs.end(), wanted);
  });
}

}  // namespace rig
