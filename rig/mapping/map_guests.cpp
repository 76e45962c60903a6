// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "rig/base/base.h"
#include "rig/mapping/embed.h"
#include "rig/mapping/finish.h"
#include "rig/mapping/mapping.h"
#include "rig/mapping/search.h"

namespace rig {
namespace {

using Guests = std::vector<const Topology*>;

// Isolated CPUs before others, idle ones before busy ones; more than what a difference of cache levels costs.
int cost_of(const HostCpu& cpu) {
  const int idle = !cpu.idle ? 1 : *cpu.idle ? 0 : 2;
  return (cpu.isolated ? 0 : 3000) + idle * 1000;
}

std::vector<int> costs_of(const Host& host, const std::vector<unsigned>& cpus) {
  std::vector<int> costs;
  for (const unsigned os : cpus) costs.push_back(cost_of(*find_cpu(host, os)));
  return costs;
}

// CPUs to try, in order: those of each kind of core by itself, the most performant first, then all.
std::vector<std::vector<unsigned>> choices(const Host& host) {
  std::map<unsigned, std::vector<unsigned>, std::greater<>> kinds;
  std::vector<unsigned> all;
  for (const unsigned os : usable_cpus(host)) {
    if (nearest_nodes(host, os).empty()) continue;  // without local memory nothing is carried exactly
    kinds[find_cpu(host, os)->kind].push_back(os);
    all.push_back(os);
  }
  std::vector<std::vector<unsigned>> found;
  if (kinds.size() > 1) {
    for (const auto& [kind, cpus] : kinds) found.push_back(cpus);
  }
  found.push_back(all);
  return found;
}

// Calls visit with every choice of host nodes for the guests' nodes without CPUs until it says yes.
bool each_reservation(const Host& host, const Guests& guests, EmbedRequest& request, std::size_t g, std::size_t n,
                      const std::function<bool()>& visit) {
  if (g == guests.size()) return visit();
  if (n == guests[g]->nodes.size()) return each_reservation(host, guests, request, g + 1, 0, visit);
  const NumaNode& node = guests[g]->nodes[n];
  if (!node.cpus.empty() || request.relaxed.memory) return each_reservation(host, guests, request, g, n + 1, visit);
  auto& taken = request.reserved[g];
  for (const bool without_cpus : {true, false}) {
    for (std::size_t i = 0; i < host.nodes.size(); ++i) {
      const HostNode& candidate = host.nodes[i];
      if (candidate.cpus.empty() != without_cpus || !candidate.allowed) continue;
      if (std::find(taken.begin(), taken.end(), i) != taken.end()) continue;
      if (candidate.memory && *candidate.memory < request.reserved_bytes[i] + node.memory) continue;
      taken.push_back(i);
      request.reserved_bytes[i] += node.memory;
      const bool done = each_reservation(host, guests, request, g, n + 1, visit);
      request.reserved_bytes[i] -= node.memory;
      taken.pop_back();
      if (done) return true;
    }
  }
  return false;
}

std::optional<std::vector<std::vector<unsigned>>> embedded(const Host& host, const Guests& guests,
                                                           const std::vector<unsigned>& cpus, const Relaxed& relaxed) {
  EmbedRequest request;
  request.host = &host;
  request.cpus = cpus;
  request.guests = guests;
  request.cost = costs_of(host, cpus);
  request.relaxed = relaxed;
  request.reserved.resize(guests.size());
  request.reserved_bytes.resize(host.nodes.size());
  std::optional<std::vector<std::vector<unsigned>>> found;
  each_reservation(host, guests, request, 0, 0, [&] {
    found = embed(request);
    return found.has_value();
  });
  return found;
}

// What a guest loses by the other on its host cores.
std::optional<LostRelation> lost_by_other(const Host& host, const Mapping& mapping, const Mapping& other) {
  LostRelation lost;
  for (unsigned a = 0; a < mapping.cpu_of_vcpu.size(); ++a) {
    for (unsigned b = 0; b < other.cpu_of_vcpu.size(); ++b) {
      const HostCpu *mine = find_cpu(host, mapping.cpu_of_vcpu[a]), *its = find_cpu(host, other.cpu_of_vcpu[b]);
      if (mine->core == its->core) lost.with_other.emplace_back(a, b);
    }
  }
  if (lost.with_other.empty()) return std::nullopt;
  std::set<int> cpus;
  for (const auto& [a, b] : lost.with_other) cpus.insert(static_cast<int>(a));
  lost.text = fmt::format("CPUs {} have host cores of their own; on theirs is the other guest too",
                          format_cpu_list({cpus.begin(), cpus.end()}));
  return lost;
}

std::vector<Mapping> finished(const Host& host, const Guests& guests, const std::vector<std::vector<unsigned>>& cpus) {
  std::vector<Mapping> mappings(guests.size());
  std::map<unsigned, unsigned> carried;
  for (std::size_t g = 0; g < guests.size(); ++g) {
    mappings[g].cpu_of_vcpu = cpus[g];
    for (const unsigned os : cpus[g]) ++carried[os];
  }
  assign_memory(host, guests, mappings);
  assign_emulators(host, mappings);
  for (std::size_t g = 0; g < guests.size(); ++g) {
    Mapping& mapping = mappings[g];
    mapping.lost = lost_relations(host, *guests[g], mapping.cpu_of_vcpu, mapping.node_of_guest_node);
    for (std::size_t other = 0; other < guests.size(); ++other) {
      if (other == g) continue;
      if (auto lost = lost_by_other(host, mapping, mappings[other])) mapping.lost.insert(mapping.lost.begin(), *lost);
    }
    mapping.exact = mapping.lost.empty();
    mapping.overcommitted = std::any_of(cpus[g].begin(), cpus[g].end(), [&](unsigned os) { return carried[os] > 1; });
    const auto notes = notes_of(host, *guests[g], mapping);
    mapping.notes.insert(mapping.notes.begin(), notes.begin(), notes.end());
  }
  return mappings;
}

long memory_losses(const Host& host, const Guests& guests, const std::vector<std::vector<unsigned>>& cpus) {
  std::vector<Mapping> mappings(guests.size());
  for (std::size_t g = 0; g < guests.size(); ++g) mappings[g].cpu_of_vcpu = cpus[g];
  assign_memory(host, guests, mappings);
  long lost = 0;
  for (std::size_t g = 0; g < guests.size(); ++g) {
    for (std::size_t n = 0; n < guests[g]->nodes.size(); ++n) {
      if (!memory_fault(host, *guests[g], cpus[g], mappings[g].node_of_guest_node, n).empty()) ++lost;
    }
  }
  return lost;
}

bool all_exact(const std::vector<Mapping>& mappings) {
  return std::all_of(mappings.begin(), mappings.end(), [](const Mapping& m) { return m.exact && !m.overcommitted; });
}

// More guest CPUs than the host has: one after another, round and round.
std::vector<Mapping> round_robin(const Host& host, const Guests& guests, const std::vector<unsigned>& usable) {
  std::vector<std::vector<unsigned>> cpus;
  std::size_t next = 0;
  for (const Topology* guest : guests) {
    cpus.emplace_back();
    for (int cpu = 0; cpu < cpu_count(*guest); ++cpu) cpus.back().push_back(usable[next++ % usable.size()]);
  }
  auto mappings = finished(host, guests, cpus);
  for (auto& mapping : mappings) {
    mapping.notes.insert(mapping.notes.begin(),
                         fmt::format("overcommitted: {} guest CPUs take turns on {} host CPUs", next, usable.size()));
  }
  return mappings;
}

// Lost pairs by kind in the order of weight, memory by its nodes; behind those of caches how near they are.
std::array<long, 7> weight(const std::vector<Mapping>& mappings) {
  std::array<long, 7> sum{};
  for (const auto& mapping : mappings) {
    for (const auto& lost : mapping.lost) {
      const auto pairs =
          static_cast<long>(lost.kind == LostKind::Memory ? 1 : lost.pairs.size() + lost.with_other.size());
      const auto kind = static_cast<std::size_t>(lost.kind);
      sum[kind + (lost.kind > LostKind::Cache ? 1 : 0)] += pairs;
      if (lost.kind == LostKind::Cache) sum[kind + 1] += pairs * how_near(lost.cache);
    }
  }
  return sum;
}

// What to leave out of account, the lightest first.
std::vector<Relaxed> relaxations() {
  std::vector<Relaxed> found;
  for (const int cache : {0, 1, 2}) {
    for (const bool nearness : {false, true}) {
      for (const bool node : {false, true}) {
        for (const bool memory : {false, true}) {
          for (const bool package : {false, true}) {
            Relaxed relaxed;
            relaxed.package = package;
            relaxed.memory = memory;
            relaxed.node = node;
            relaxed.nearness = nearness;
            relaxed.together = cache == 1;
            relaxed.cache = cache == 2;
            if (relaxed != Relaxed{} && !(node && !memory) && !(relaxed.cache && nearness)) found.push_back(relaxed);
          }
        }
      }
    }
  }
  return found;
}

LostKind heaviest_of(const Relaxed& relaxed) {
  if (relaxed.cache || relaxed.together) return LostKind::Cache;
  if (relaxed.nearness) return LostKind::Nearness;
  if (relaxed.node) return LostKind::Node;
  return relaxed.memory ? LostKind::Memory : LostKind::Package;
}

std::vector<Mapping> partial(const Host& host, const Guests& guests, const std::vector<unsigned>& usable) {
  SearchProblem problem;
  problem.caches_known = !host.caches.empty();
  for (const Topology* guest : guests) problem.guests.push_back(pair_relations(*guest));
  problem.host = pair_relations(host, usable);
  problem.cost = costs_of(host, usable);
  std::map<unsigned, std::size_t> place;
  for (std::size_t i = 0; i < usable.size(); ++i) place[usable[i]] = i;
  const auto cpus_of = [&](const Places& places) {
    std::vector<std::vector<unsigned>> cpus;
    for (const auto& guest : places) {
      cpus.emplace_back();
      for (const std::size_t i : guest) cpus.back().push_back(usable[i]);
    }
    return cpus;
  };
  problem.memory = [&](const Places& places) { return memory_losses(host, guests, cpus_of(places)); };
  std::vector<std::vector<Mapping>> candidates;
  std::vector<Places> from;
  std::optional<LostKind> heaviest;
  for (const Relaxed& relaxed : relaxations()) {
    if (heaviest && heaviest_of(relaxed) < *heaviest) break;  // only heavier losses from here on
    const auto cpus = embedded(host, guests, usable, relaxed);
    if (!cpus) continue;
    candidates.push_back(finished(host, guests, *cpus));
    heaviest = heaviest_of(relaxed);
    Places places;
    for (const auto& guest : *cpus) {
      places.emplace_back();
      for (const unsigned os : guest) places.back().push_back(place.at(os));
    }
    from.push_back(std::move(places));
  }
  const SearchResult result = search(problem, from);
  candidates.push_back(finished(host, guests, cpus_of(result.places)));
  auto best = std::min_element(candidates.begin(), candidates.end(),
                               [](const auto& a, const auto& b) { return weight(a) < weight(b); });
  for (auto& mapping : *best) {
    if (mapping.exact) continue;
    mapping.notes.push_back(result.all_compared ? "all mappings onto this host were compared: none loses less"
                                                : "not all mappings were compared: another may lose less");
  }
  return *best;
}

void check(const MappingRequest& request) {
  if (request.guests.empty() || request.guests.size() > 2) {
    throw InputError(fmt::format("{} guests cannot be mapped at once: one or two can", request.guests.size()));
  }
}

[[noreturn]] void refuse(const Host& host, const Guests& guests, const std::vector<Mapping>& mappings) {
  std::string text;
  for (std::size_t g = 0; g < guests.size(); ++g) {
    if (mappings[g].exact && !mappings[g].overcommitted) continue;
    text += fmt::format("{}{} cannot be carried exactly by host {}", text.empty() ? "" : "\n", guests[g]->name,
                        host.source);
    if (mappings[g].overcommitted) text += "\n  overcommitted: it has fewer usable CPUs than the guests need";
    for (const auto& lost : mappings[g].lost) text += "\n  lost: " + lost.text;
  }
  throw HostLacks(text,
                  "choose a host, or a machine, whose caches, packages and nodes are alike, or leave --strict away");
}

}  // namespace

std::vector<Mapping> map_guests(const Host& host, const MappingRequest& request) {
  check(request);
  const auto usable = usable_cpus(host);
  if (usable.empty()) {
    throw HostLacks(fmt::format("host {} has no CPU that may be used", host.source),
                    "widen the cpuset or the affinity of this process");
  }
  std::size_t wanted = 0;
  for (const Topology* guest : request.guests) wanted += static_cast<std::size_t>(cpu_count(*guest));
  std::vector<Mapping> mappings;
  if (wanted > usable.size()) {
    mappings = round_robin(host, request.guests, usable);
  } else {
    for (const auto& cpus : choices(host)) {
      const auto found = embedded(host, request.guests, cpus, {});
      if (!found) continue;
      mappings = finished(host, request.guests, *found);
      if (all_exact(mappings)) return mappings;
    }
    mappings = partial(host, request.guests, usable);
  }
  if (request.strict && !all_exact(mappings)) refuse(host, request.guests, mappings);
  return mappings;
}

}  // namespace rig
