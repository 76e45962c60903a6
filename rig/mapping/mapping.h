// SPDX-License-Identifier: GPL-2.0-or-later
// Which host CPU carries which guest CPU, so that what guest CPUs share is shared on the host too. Pure.
// (A *placement* is where a job's processes sit inside the guest; this is the mapping beneath it.)
//
// Of two guest CPUs these relations are carried, each in both directions (docs/placement.md):
//   core       SMT siblings lie on SMT siblings, other pairs and two guests on different cores
//   cache      they share a cache (of any level), or none below memory
//   nearness   where a shares a nearer cache with b than with c, so it does on the host
//   package    they are of one package, or of two
//   node       they are of one NUMA node, or of two
// and of each guest NUMA node: its memory fits into one host node, local to its CPUs, its own for this guest.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rig/host/host.h"
#include "rig/topology/topology.h"

namespace rig {

enum class LostKind { Core, Cache, Nearness, Node, Memory, Package };  // in the order of their weight
std::string to_string(LostKind kind);                                  // "core"

// One relation of the guest that the host CPUs do not have, for all pairs of which it is true.
struct LostRelation {
  LostKind kind = LostKind::Core;
  std::vector<std::pair<unsigned, unsigned>> pairs;  // of guest CPUs, a < b; none of Memory
  // Of Core: CPUs on whose host core the other guest has one: this guest's, the other's. Then pairs is empty.
  std::vector<std::pair<unsigned, unsigned>> with_other;
  std::optional<unsigned> guest_node;  // of Memory
  int cache = 0;                       // of Cache and Nearness: the level the guest CPUs share, 0: none
  std::string text;                    // "CPUs 0-1 and 2-3 share no cache; their host CPUs share an L3"
  bool operator==(const LostRelation&) const = default;
};

struct Mapping {
  std::vector<unsigned> cpu_of_vcpu;                        // host CPU (os index), one a guest CPU
  std::vector<unsigned> emulator;                           // host CPUs for QEMU's other threads; at least one
  std::vector<std::optional<unsigned>> node_of_guest_node;  // host node (os index) for its memory, or none
  bool exact = false;                                       // nothing lost
  std::vector<LostRelation> lost;
  std::vector<std::string> notes;  // differences that lose no relation: "L2 is carried by an L3"
  bool overcommitted = false;      // some host CPU carries more than one guest CPU
  bool operator==(const Mapping&) const = default;
};

struct MappingRequest {
  std::vector<const Topology*> guests;  // 1 or 2, which run at the same time; not owned
  bool strict = false;
};

// One mapping a guest, in their order. Exact for all where that exists; else the one found that loses least,
// core before cache before nearness before node before memory before package, each by the number of its pairs, and
// of caches as many lost the farther ones.
// The same host and request give the same mapping. Throws HostLacks where no CPU may be used, and under strict
// where anything is lost, naming it; InputError where there are not 1 or 2 guests.
std::vector<Mapping> map_guests(const Host& host, const MappingRequest& request);

// What such an assignment loses, judged from the host and the guest alone: map_guests's own verdict.
std::vector<LostRelation> lost_relations(const Host& host, const Topology& guest,
                                         const std::vector<unsigned>& cpu_of_vcpu,
                                         const std::vector<std::optional<unsigned>>& node_of_guest_node);

// Whether all relations of this pair of guest CPUs are carried. The pair of one CPU with itself always is.
bool carries(const Mapping& mapping, unsigned a, unsigned b);

// The mapping for people: a line a guest CPU, then "mapping: exact" or "mapping: partial" and "lost: …" lines.
std::string draw(const Mapping& mapping, const Topology& guest, const Host& host);

// The machine as an SVG picture of nested boxes, and the host beside it with the guest CPUs where they lie.
std::string draw_svg(const Topology& guest);
std::string draw_svg(const Topology& guest, const Host& host, const Mapping& mapping);

}  // namespace rig
