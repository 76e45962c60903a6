// SPDX-License-Identifier: GPL-2.0-or-later
// A judge and an exhaustive search of mappings that share no code with rig/mapping: relations are read straight
// from the definitions, and every injective assignment of guest CPUs is tried, cut short only where two CPUs
// already placed contradict each other.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rig/host/host.h"
#include "rig/topology/topology.h"

namespace rig::test {

using Assignment = std::vector<std::vector<unsigned>>;  // of each guest, the host CPU of each of its CPUs
using NodeAssignment = std::vector<std::vector<std::optional<unsigned>>>;

// core, cache, how near those caches are, nearness, node, memory, package: pairs lost, of memory nodes.
using Losses = std::array<std::size_t, 7>;

class BruteForce {
 public:
  BruteForce(const Host& host, std::vector<const Topology*> guests);

  // Whether an exact mapping exists. Nothing where more than limit assignments had to be looked at.
  std::optional<bool> exact_exists(long limit);

  // The least losses of all injective assignments; guest cores of two guests never on one host core.
  Losses least_losses();

  // What is lost by this assignment, all guests together.
  Losses losses(const Assignment& cpus, const NodeAssignment& nodes) const;

 private:
  enum class Holds { Yes, No };
  struct Shared {
    bool core, package, node;
    std::set<unsigned> cache;  // CPUs of the nearest common cache, empty: none
  };
  struct Vcpu {
    std::size_t guest;
    int cpu;
  };
  Shared on_host(unsigned a, unsigned b) const;
  Shared in_guest(const Topology& guest, int a, int b) const;
  std::set<unsigned> home(unsigned cpu) const;  // host nodes local to it, by index
  bool agree(const Vcpu& a, unsigned on_a, const Vcpu& b, unsigned on_b) const;
  bool nearness_holds(const Assignment& cpus) const;
  bool memory_exists(const Assignment& cpus) const;
  bool place_memory(const Assignment& cpus, NodeAssignment& nodes, std::size_t next) const;
  std::size_t memory_losses(const Topology& guest, const std::vector<unsigned>& cpus,
                            const std::vector<std::optional<unsigned>>& nodes) const;
  std::optional<bool> descend(std::size_t next, Assignment& cpus, std::set<unsigned>& taken);

  const Host& host_;
  std::vector<const Topology*> guests_;
  std::vector<Vcpu> vcpus_;
  std::vector<unsigned> usable_;
  std::map<std::pair<unsigned, unsigned>, Shared> host_pairs_;
  std::vector<std::map<std::pair<int, int>, Shared>> guest_pairs_;
  long limit_ = 0, tried_ = 0;
};

}  // namespace rig::test
