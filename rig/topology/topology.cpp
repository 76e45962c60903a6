// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/topology/topology.h"
#include "rig/topology/timing_faults.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "rig/base/units.h"

namespace rig {
namespace {

int total_cores(const Topology& t) { return t.sockets * t.dies * t.cores; }
int cores_per_socket(const Topology& t) { return t.dies * t.cores; }

std::string cache_name(const Cache& cache) {
  std::string name = "l" + std::to_string(cache.level);
  if (cache.type == CacheType::Data) name += "d";
  if (cache.type == CacheType::Instruction) name += "i";
  return name;
}

constexpr struct {
  Relation relation;
  const char* name;
} relation_names[] = {{Relation::SameCpu, "same-cpu"},
                      {Relation::SameL2, "same-l2"},
                      {Relation::SamePackage, "same-package"},
                      {Relation::OtherPackage, "other-package"}};

}  // namespace

std::string family_of(const std::string& name) { return name.substr(0, name.find('@')); }
const std::string& definition_of(const Topology& t) { return t.base.empty() ? t.name : t.base; }

int measured_cpus(const Topology& t) { return total_cores(t) * t.threads; }
int cpu_count(const Topology& t) { return measured_cpus(t) + (t.peer ? t.peer->cores * t.threads : 0); }
int package_count(const Topology& t) { return t.sockets + (t.peer ? t.peer->packages : 0); }
int cpu_room(const Topology& t) { return package_count(t) * cores_per_socket(t) * t.threads; }

std::vector<int> peer_cpus(const Topology& t) {
  std::vector<int> cpus;
  for (int cpu = measured_cpus(t); cpu < cpu_count(t); ++cpu) cpus.push_back(cpu);
  return cpus;
}

std::uint64_t memory_bytes(const Topology& t) {
  std::uint64_t sum = 0;
  for (const auto& node : t.nodes) sum += node.memory;
  return sum;
}

CpuLocation locate(const Topology& t, int cpu) {
  CpuLocation where;
  where.thread = cpu;
  where.core = cpu / t.threads;
  where.die = where.core / t.cores;
  where.socket = where.die / t.dies;
  for (std::size_t n = 0; n < t.nodes.size(); ++n) {
    const auto& cpus = t.nodes[n].cpus;
    if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) where.node = static_cast<int>(n);
  }
  return where;
}

std::vector<int> sharers(const Topology& t, const Cache& cache, int cpu) {
  // Groups are counted within a package, so that none reaches over its edge.
  const int core = cpu / t.threads;
  const int first_of_socket = core / cores_per_socket(t) * cores_per_socket(t);
  const int first = first_of_socket + (core - first_of_socket) / cache.shared_by * cache.shared_by;
  const int end = std::min(first + cache.shared_by, first_of_socket + cores_per_socket(t));
  std::vector<int> cpus;
  for (int c = first * t.threads; c < std::min(end * t.threads, cpu_count(t)); ++c) cpus.push_back(c);
  return cpus;
}

const Cache* data_cache(const Topology& t, int level) {
  for (const auto& cache : t.caches) {
    if (cache.level == level && cache.type != CacheType::Instruction) return &cache;
  }
  return nullptr;
}

std::string to_string(Relation relation) {
  for (const auto& entry : relation_names) {
    if (entry.relation == relation) return entry.name;
  }
  return "";
}

std::optional<Relation> parse_relation(std::string_view text) {
  for (const auto& entry : relation_names) {
    if (text == entry.name) return entry.relation;
  }
  return std::nullopt;
}

Relation relation_of(const Topology& t, int a, int b) {
  if (a == b) return Relation::SameCpu;
  const auto at_a = locate(t, a), at_b = locate(t, b);
  if (at_a.core == at_b.core) return Relation::SameL2;
  if (const Cache* l2 = data_cache(t, 2)) {
    const auto group = sharers(t, *l2, a);
    if (std::find(group.begin(), group.end(), b) != group.end()) return Relation::SameL2;
  }
  return at_a.socket == at_b.socket ? Relation::SamePackage : Relation::OtherPackage;
}

std::optional<std::pair<int, int>> find_pair(const Topology& t, Relation relation) {
  for (int b = 0; b < measured_cpus(t); ++b) {
    if (relation_of(t, 0, b) == relation) return std::pair(0, b);
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> faults(const Topology& t) {
  std::vector<std::pair<std::string, std::string>> found;
  const auto fault = [&](const std::string& path, const std::string& message) { found.emplace_back(path, message); };
  for (const auto& [name, value] :
       {std::pair("sockets", t.sockets), {"dies", t.dies}, {"cores", t.cores}, {"threads", t.threads}}) {
    if (value < 1) fault(name, "there must be at least one");
  }
  if (!found.empty()) return found;
  if (t.peer && t.peer->packages != 1) fault("peer.packages", "the peer can have one package alone");
  if (t.peer && (t.peer->cores < 1 || t.peer->cores > cores_per_socket(t))) {
    fault("peer.cores", std::to_string(t.peer->cores) + " cores do not fit into a package, which has " +
                            std::to_string(cores_per_socket(t)));
  }
  if (!found.empty()) return found;
  const int cpus = cpu_count(t);
  if (t.peer && cpu_room(t) > 512) {
    fault("peer", "there is no room for it: with its package the machine has room for " + std::to_string(cpu_room(t)) +
                      " CPUs, more than the 512 that rig builds guests with");
    return found;
  }
  if (cpus > 512) {
    fault("", "the machine has " + std::to_string(cpus) + " CPUs, more than the 512 that rig builds guests with");
    return found;
  }
  std::set<std::string> names;
  for (const auto& cache : t.caches) {
    const std::string path = "caches." + cache_name(cache);
    if (!names.insert(path).second) fault(path, "this cache stands twice");
    if (cache.shared_by < 1 || cores_per_socket(t) % cache.shared_by != 0) {
      fault(path + ".shared_by", std::to_string(cache.shared_by) + " cores share it, and the " +
                                     std::to_string(cores_per_socket(t)) + " cores of a socket do not divide by that");
      continue;
    }
    if (cache.shared_by > t.cores && cache.shared_by % t.cores != 0) {
      fault(path + ".shared_by", "a group of " + std::to_string(cache.shared_by) + " cores would cut a die of " +
                                     std::to_string(t.cores) + " cores");
    }
    if (cache.line < 1 || cache.ways < 1 || cache.size == 0 ||
        cache.size % (static_cast<std::uint64_t>(cache.line) * static_cast<std::uint64_t>(cache.ways)) != 0) {
      fault(path + ".size", format_bytes(cache.size) + " does not divide into " + std::to_string(cache.ways) +
                                " ways of " + std::to_string(cache.line) + "-byte lines");
    } else {
      const auto sets = cache.size / (static_cast<std::uint64_t>(cache.line) * static_cast<std::uint64_t>(cache.ways));
      if ((sets & (sets - 1)) != 0) fault(path + ".size", std::to_string(sets) + " sets are not a power of two");
    }
  }
  for (const auto& outer : t.caches) {
    for (const auto& inner : t.caches) {
      if (inner.level < outer.level && inner.shared_by > outer.shared_by) {
        fault("caches." + cache_name(inner) + ".shared_by",
              "it is shared more widely than " + cache_name(outer) + ", which is farther from the cores");
      }
    }
  }
  if (t.nodes.empty()) fault("numa.nodes", "there must be at least one node");
  std::vector<int> owner(static_cast<std::size_t>(cpus), -1);
  for (std::size_t n = 0; n < t.nodes.size(); ++n) {
    const std::string path = "numa.nodes[" + std::to_string(n) + "]";
    for (const int cpu : t.nodes[n].cpus) {
      if (cpu < 0 || cpu >= cpus) {
        fault(path + ".cpus", "CPU " + std::to_string(cpu) + " does not exist: the machine has " +
                                  std::to_string(cpus) + " CPUs, 0 to " + std::to_string(cpus - 1));
      } else if (owner[static_cast<std::size_t>(cpu)] >= 0) {
        fault(path + ".cpus", "CPU " + std::to_string(cpu) + " is in node " +
                                  std::to_string(owner[static_cast<std::size_t>(cpu)]) + " already");
      } else {
        owner[static_cast<std::size_t>(cpu)] = static_cast<int>(n);
      }
    }
    if (t.nodes[n].memory == 0 || t.nodes[n].memory % (1u << 20) != 0) {
      fault(path + ".memory", format_bytes(t.nodes[n].memory) + " is no whole number of MiB above 0");
    }
  }
  if (!t.nodes.empty()) {
    std::vector<int> homeless;
    for (int cpu = 0; cpu < cpus; ++cpu) {
      if (owner[static_cast<std::size_t>(cpu)] < 0) homeless.push_back(cpu);
    }
    if (!homeless.empty()) fault("numa.nodes", "no node holds CPU " + format_cpu_list(homeless));
  }
  if (t.nodes.size() > 1 || !t.distances.empty()) {
    const auto n = t.nodes.size();
    bool square = t.distances.size() == n;
    for (const auto& row : t.distances) square = square && row.size() == n;
    if (!square) {
      fault("numa.distances",
            "it must be a table of " + std::to_string(n) + " × " + std::to_string(n) + " numbers, one row a node");
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          // ACPI 6.5, 5.2.17 (SLIT): 10 to itself, more to others, 255 is "unreachable".
          const int d = t.distances[i][j];
          const std::string path = "numa.distances[" + std::to_string(i) + "][" + std::to_string(j) + "]";
          if (i == j ? d != 10 : d < 11 || d > 254) {
            fault(path,
                  std::to_string(d) + (i == j ? " must be 10, a node's distance to itself" : " is outside 11 to 254"));
          }
        }
      }
    }
  }
  if (t.timing && found.empty()) found = timing_faults(t);
  return found;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::set<int> cpus;
  const auto number = [&](int& value) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0 || value > 65535) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return true;
  };
  while (!text.empty()) {
    int first = 0;
    if (!number(first)) return std::nullopt;
    int last = first;
    if (!text.empty() && text.front() == '-') {
      text.remove_prefix(1);
      if (!number(last) || last < first) return std::nullopt;
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.insert(cpu);
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return std::vector<int>(cpus.begin(), cpus.end());
}

}  // namespace rig
