// SPDX-License-Identifier: GPL-2.0-or-later
// The shape of a machine: packages (sockets) > dies > cores > threads, the caches that groups of
// cores share, and NUMA nodes. A value: no effects. CPUs are numbered as QEMU and Linux number
// them: threads fastest, then cores, dies, sockets.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rig/base/setting.h"
#include "rig/topology/timing.h"

namespace rig {

enum class CacheType { Data, Instruction, Unified };

struct Cache {
  int level = 1;  // 1..3
  CacheType type = CacheType::Unified;
  std::uint64_t size = 0;   // bytes, of one instance
  std::uint64_t shown = 0;  // bytes the guest sees where QEMU cannot show the size; 0: as size
  int ways = 0;
  int line = 64;      // bytes
  int shared_by = 1;  // cores that share one instance; consecutive cores of one package
  bool operator==(const Cache&) const = default;
};

struct NumaNode {
  std::vector<int> cpus;     // may be empty (a node of memory only)
  std::uint64_t memory = 0;  // bytes
  bool operator==(const NumaNode&) const = default;
};

// A package more than the machine has, for the other end of a modelled wire: only that runs there. The
// kernel's scheduler leaves it alone (isolcpus), and no placement counts it.
struct PeerPackage {
  int packages = 1;  // no more can be shown: QEMU fills packages in order
  int cores = 1;     // at most a package's
  bool operator==(const PeerPackage&) const = default;
};

struct Topology {
  std::string name;       // "q6600"
  std::string title;      // "Intel Core 2 Quad Q6600, 2.4 GHz"
  std::string cpu_model;  // QEMU's name: "Penryn"
  int cpuid_level = 0;    // QEMU's level= override, 0: none (facts: dies>1 aborts without it on Intel models)
  int sockets = 1;
  int dies = 1;     // a socket
  int cores = 1;    // a die
  int threads = 1;  // a core
  int mhz = 0;      // nominal clock, 0: not stated
  std::vector<Cache> caches;
  std::vector<NumaNode> nodes;              // at least one
  std::vector<std::vector<int>> distances;  // SLIT, nodes × nodes; empty with one node
  std::vector<std::string> notes;           // what the emulation cannot show, for the report
  std::optional<PeerPackage> peer;          // none: the machine is all there is
  std::optional<Timing> timing;             // for the modelled mode; none: it cannot be modelled

  // Of a machine that a matrix makes from a definition, by `set:` and `sweep:`. A point of a sweep is called
  // MACHINE@PATH=VALUE[+PATH=VALUE…], without a path's "timing." and a value's blanks; MACHINE is the
  // definition, or the what-if, that is swept.
  std::string base;               // the definition it was made from; empty: it is that definition
  std::vector<Setting> settings;  // of set:, but for what a sweep changes again
  // This point: every path that the sweep moves, in its order, also where it stands as in MACHINE here. So
  // points that differ in one path alone make a series, in a grid and one at a time alike.
  std::vector<Setting> swept;
  bool operator==(const Topology&) const = default;
};

// The name without the point of a sweep: of "q6600@sockets=2" "q6600".
std::string family_of(const std::string& name);
// The name of the definition behind it: its base, or its own.
const std::string& definition_of(const Topology& topology);

int cpu_count(const Topology& topology);               // all that the guest has, the peer's among them
int measured_cpus(const Topology& topology);           // the machine's own: 0 to one below; the peer's follow
std::vector<int> peer_cpus(const Topology& topology);  // empty where there is no peer
int package_count(const Topology& topology);           // the peer's among them
int cpu_room(const Topology& topology);                // CPUs that so many whole packages have; cpu_count or more
std::uint64_t memory_bytes(const Topology& topology);

// Where a CPU sits. All indices are machine-wide (core 3 is the fourth core of the machine).
struct CpuLocation {
  int socket = 0, die = 0, core = 0, thread = 0, node = 0;
};
CpuLocation locate(const Topology& topology, int cpu);

// The CPUs that share this CPU's instance of the cache, itself included, in order.
std::vector<int> sharers(const Topology& topology, const Cache& cache, int cpu);

// The cache of this level that holds data (data or unified), or nothing.
const Cache* data_cache(const Topology& topology, int level);

// Where two ends of a pair may sit, in the words of the 2009 post: same CPU; another CPU with the
// same L2; another L2 of the same package; another package.
enum class Relation { SameCpu, SameL2, SamePackage, OtherPackage };
inline constexpr Relation all_relations[] = {Relation::SameCpu, Relation::SameL2, Relation::SamePackage,
                                             Relation::OtherPackage};
std::string to_string(Relation relation);  // "same-l2"
std::optional<Relation> parse_relation(std::string_view text);

// The relation of two CPUs. SMT siblings and cores that share an L2 are SameL2.
Relation relation_of(const Topology& topology, int a, int b);

// The lowest-numbered pair (a, b) with that relation, or nothing where the machine has none.
std::optional<std::pair<int, int>> find_pair(const Topology& topology, Relation relation);

// What contradicts itself ("nodes list 6 CPUs, the machine has 4"): (YAML path below the topology,
// message) pairs, empty where all agrees.
std::vector<std::pair<std::string, std::string>> faults(const Topology& topology);

// "0-1,4" and back; parse gives nothing for what is no CPU list.
std::string format_cpu_list(const std::vector<int>& cpus);
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// A drawing of the machine in text, for `rig show topology`.
std::string draw(const Topology& topology);

}  // namespace rig
