// SPDX-License-Identifier: GPL-2.0-or-later
// What a booted guest says about itself (the agent's `view` frame, rig/guest/PROTOCOL.md), and the
// comparison of that with the definition.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rig/topology/topology.h"

namespace rig {

struct GuestCpu {
  int cpu = 0;
  std::optional<int> package, die, cluster, core, node;  // absent: the kernel does not say
  std::vector<int> siblings;                             // threads of its core, itself included
  std::optional<int> apic;                               // its local APIC's id
};
struct GuestCache {
  int cpu = 0, level = 0;
  std::string type;                   // "Data", "Instruction", "Unified"
  std::optional<std::uint64_t> size;  // bytes
  std::optional<int> line, ways;
  std::vector<int> shared;
};
struct GuestNode {
  int node = 0;
  std::vector<int> cpus;
  std::vector<int> distances;
};
struct SchedDomain {
  int cpu = 0, level = 0;
  std::string name;  // "MC"; "?" where the kernel gives masks only
  std::vector<int> span;
};
struct GuestView {
  std::string release, machine, version, config_sha256, cmdline, clocksource, lapic;
  std::uint64_t memory_kb = 0;
  std::vector<GuestCpu> cpus;
  std::vector<GuestCache> caches;
  std::vector<GuestNode> nodes;
  std::vector<SchedDomain> domains;
  std::vector<std::string> warnings;
};

// Throws WorkError naming the line that cannot be understood. Bounded: hostile text only fails.
GuestView parse_guest_view(std::string_view text);

// One line for each difference ("CPU 1: L2 asked shared by 0-1, seen 1"), empty where the guest is
// the machine asked for. Compares packages, cores, threads, APIC ids where the kernel shows them, cache sharing
// (sizes where QEMU can show them: not listed in the notes), scheduler domains where the kernel shows their
// spans, NUMA nodes and distances.
std::vector<std::string> differences(const Topology& asked, const GuestView& seen);

// The id of a CPU's local APIC as QEMU numbers them: socket, die, core and thread in as many bits each as
// they need.
int apic_id(const Topology& topology, int cpu);

// The domains' part of the differences: the kernel balances over the threads of a core, what shares the
// last-level cache, the node, and the nodes within each distance, and over nothing else but what shares an L2
// (since 5.16). Levels that span the same CPUs are one, as in the kernel, and CPUs that isolcpus= takes
// out are in none. Compared by spans: names differ between versions, and old kernels have none.
std::vector<std::string> domain_differences(const Topology& asked, const GuestView& seen);

}  // namespace rig
