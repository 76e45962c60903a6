// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <map>

#include "rig/base/units.h"
#include "rig/config/definition_file.h"
#include "rig/config/scalar.h"
#include "rig/config/timing.h"
#include "rig/topology/guest_limits.h"

namespace rig::config {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

struct CacheKey {
  const char* key;
  int level;
  CacheType type;
};
constexpr CacheKey cache_keys[] = {
    {"l1d", 1, CacheType::Data},
    {"l1i", 1, CacheType::Instruction},
    {"l2", 2, CacheType::Unified},
    {"l3", 3, CacheType::Unified},
};

std::vector<Cache> read_caches(const yaml::Node* caches) {
  std::vector<Cache> result;
  for (const auto& known : cache_keys) {
    const yaml::Node* node = child(caches, known.key);
    if (node == nullptr) continue;
    Cache cache;
    cache.level = known.level;
    cache.type = known.type;
    cache.size = bytes_at(node, "size", 0);
    cache.shown = bytes_at(node, "shown", 0);
    cache.ways = int_at(node, "ways", 0);
    cache.line = int_at(node, "line", 64);
    cache.shared_by = int_at(node, "shared_by", 1);
    result.push_back(cache);
  }
  return result;
}

// The nodes' memory: stated for every node, or the machine's split evenly. After a fault the nodes
// get some memory all the same, so that nothing else complains of it.
void read_memory(const yaml::Node* root, const yaml::Node* list, Topology& topology, Faults& faults) {
  std::size_t stated = 0;
  std::uint64_t sum = 0;
  for (auto& node : topology.nodes) {
    if (node.memory > 0) ++stated;
    sum += node.memory;
  }
  const yaml::Node* whole = child(root, "memory");
  if (stated == topology.nodes.size()) {
    if (whole != nullptr && bytes_at(root, "memory", 0) != sum) {
      faults.add(whole->mark, "memory",
                 fmt::format("{}, but the nodes have {} together", whole->text, format_bytes(sum)), "",
                 "remove one of the two");
    }
    return;
  }
  const auto give = [&](std::uint64_t share) {
    for (auto& node : topology.nodes) node.memory = share;
  };
  if (stated > 0) {
    give(MiB);
    faults.add(list->mark, "numa.nodes",
               fmt::format("{} of {} nodes state their memory", stated, topology.nodes.size()),
               "memory at every node, or once for the machine");
    return;
  }
  if (whole == nullptr) {
    give(MiB);
    faults.add(root->mark, "memory", "is missing", "a size as 1 GiB", "the machine's, split evenly over its nodes");
    return;
  }
  const std::uint64_t share = bytes_at(root, "memory", 0) / topology.nodes.size();
  give(share / MiB * MiB);
  if (share % MiB != 0 || share * topology.nodes.size() != bytes_at(root, "memory", 0)) {
    faults.add(whole->mark, "memory",
               fmt::format("{} does not split into whole MiB over {} nodes", whole->text, topology.nodes.size()));
  }
}

void read_numa(const yaml::Node* root, Topology& topology, Faults& faults) {
  const yaml::Node* numa = child(root, "numa");
  for (const auto& item : items_at(numa, "nodes")) {
    NumaNode node;
    if (const yaml::Node* cpus = child(item.get(), "cpus")) node.cpus = as_cpus(*cpus).value_or(std::vector<int>{});
    node.memory = bytes_at(item.get(), "memory", 0);
    topology.nodes.push_back(std::move(node));
  }
  // the peer's CPUs are on the last node, and in no definition's lists
  if (!topology.nodes.empty()) {
    auto& last = topology.nodes.back().cpus;
    for (const int cpu : peer_cpus(topology)) last.push_back(cpu);
  }
  for (const auto& row : items_at(numa, "distances")) {
    std::vector<int> distances;
    for (const auto& item : row->items) distances.push_back(static_cast<int>(as_integer(*item).value_or(0)));
    topology.distances.push_back(std::move(distances));
  }
  if (topology.nodes.empty()) {
    NumaNode whole;
    for (int cpu = 0; cpu < cpu_count(topology); ++cpu) whole.cpus.push_back(cpu);
    topology.nodes.push_back(std::move(whole));
  }
  if (topology.nodes.size() == 1) topology.distances.clear();
  read_memory(root, child(numa, "nodes"), topology, faults);
}

// Where a path of rig/topology's faults stands in the file: the longest part of it that is written.
yaml::Mark mark_of(const yaml::Node& root, const std::string& path) {
  const yaml::Node* node = &root;
  yaml::Mark mark = root.mark;
  for (std::size_t at = 0; at < path.size() && node != nullptr;) {
    const std::size_t end = std::min(path.find_first_of(".[]", at), path.size());
    const std::string step = path.substr(at, end - at);
    at = end + 1;
    if (step.empty()) continue;
    if (node->kind == yaml::Node::Kind::List) {
      const auto index = parse_integer(step);
      node = index && *index >= 0 && static_cast<std::size_t>(*index) < node->items.size()
                 ? node->items[static_cast<std::size_t>(*index)].get()
                 : nullptr;
      if (node != nullptr) mark = node->mark;
    } else {
      const yaml::Member* member = node->find(step);
      node = member == nullptr ? nullptr : member->value.get();
      if (member != nullptr) mark = member->mark;
    }
  }
  return mark;
}

Shape cache_shape(bool private_by_default) {
  return object({
      {"size", true, bytes(KiB, GiB), "of one instance"},
      {"shown", false, bytes(KiB, GiB), "what the guest sees, where QEMU cannot show the size"},
      {"ways", true, integer(1, 1024), "associativity"},
      {"line", false, integer(16, 256), "bytes of a line (64)"},
      {"shared_by", !private_by_default, integer(1, 256), "cores that share one instance"},
  });
}

}  // namespace

const Shape& topology_shape() {
  static const Shape shape = object({
      {"topology", true, name(), "its name: the file's, without .yaml"},
      {"title", false, text(), "what it is, for reports"},
      {"cpu", true,
       object({
           {"model", true, pattern("[A-Za-z0-9][A-Za-z0-9._-]*", "a CPU model of QEMU, as Penryn"),
            "QEMU's name of it"},
           {"cpuid_level", false, integer(1, 255), "the highest CPUID leaf shown, in place of QEMU's"},
       }),
       "the CPU that the guest sees"},
      {"sockets", true, integer(1, 64), "packages of the machine"},
      {"dies", false, integer(1, 64), "dies of a socket (1)"},
      {"cores", true, integer(1, 64), "cores of a die"},
      {"threads", false, integer(1, 8), "threads of a core (1)"},
      {"peer", false,
       object({
           {"packages", true, integer(1, 1), "packages of the same kind more than the machine's"},
           {"cores", true, integer(1, 64), "cores in it"},
       }),
       "a reserved package for the other end of a modelled wire"},
      {"clock", false, clock(), "nominal clock"},
      {"memory", false, bytes(64 * MiB, 1024 * GiB), "of the machine, split evenly over its nodes"},
      {"caches", false,
       object({
           {"l1d", false, cache_shape(true), "level 1, data"},
           {"l1i", false, cache_shape(true), "level 1, instructions"},
           {"l2", false, cache_shape(false), "level 2"},
           {"l3", false, cache_shape(false), "level 3"},
       }),
       "the caches"},
      {"numa", false,
       object({
           {"nodes", true,
            list(object({
                     {"cpus", false, cpus(), "its CPUs; none: memory only"},
                     {"memory", false, bytes(16 * MiB, 1024 * GiB), "its memory"},
                 }),
                 1, 64),
            "the NUMA nodes"},
           {"distances", false, list(list(integer(10, 254), 1, 64), 1, 64),
            "a row for each node; 10 is the node itself"},
       }),
       "NUMA nodes; one with everything in it where left out"},
      {"timing", false, timing_shape(), "how long things take, for the modelled mode"},
      {"notes", false, list(text()), "what the emulation cannot show, for reports"},
  });
  return shape;
}

std::optional<Topology> read_topology(const std::filesystem::path& file, std::vector<Diagnostic>& all) {
  Document document = open_definition(file, DefinitionKind::Topology, all);
  return topology_of(document);
}

std::optional<Topology> topology_of(Document& document) {
  const yaml::Node* root = document.root.get();
  if (!document.sound()) return std::nullopt;
  Topology topology;
  topology.name = text_at(root, "topology");
  topology.title = text_at(root, "title", topology.name);
  topology.cpu_model = text_at(child(root, "cpu"), "model");
  topology.cpuid_level = int_at(child(root, "cpu"), "cpuid_level", 0);
  topology.sockets = int_at(root, "sockets", 1);
  topology.dies = int_at(root, "dies", 1);
  topology.cores = int_at(root, "cores", 1);
  topology.threads = int_at(root, "threads", 1);
  if (const yaml::Node* peer = child(root, "peer")) {
    topology.peer = PeerPackage{int_at(peer, "packages", 1), int_at(peer, "cores", 1)};
  }
  if (const yaml::Node* clock = child(root, "clock")) topology.mhz = static_cast<int>(as_mhz(*clock).value_or(0));
  topology.caches = read_caches(child(root, "caches"));
  topology.notes = texts_at(root, "notes");
  topology.timing = read_timing(child(root, "timing"));
  read_numa(root, topology, document.faults);
  for (const auto& [path, message] : faults(topology)) {
    document.faults.add(mark_of(*root, path), path, message);
  }
  if (!document.sound()) return std::nullopt;
  for (const auto& fault : guest_faults(topology)) {
    document.faults.add(
        mark_of(*root, fault.path == "memory" && child(root, "memory") == nullptr ? "numa" : fault.path), fault.path,
        fault.message, "", fault.suggestion);
  }
  return document.sound() ? std::optional(std::move(topology)) : std::nullopt;
}

}  // namespace rig::config
