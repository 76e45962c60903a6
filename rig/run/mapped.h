// SPDX-License-Identifier: GPL-2.0-or-later
// The part of an attempt that real time has: its guests' CPUs on host CPUs, their pins, and how true that was.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rig/host/host.h"
#include "rig/mapping/mapping.h"
#include "rig/plan/vm_spec.h"
#include "rig/record/record.h"
#include "rig/run/memory.h"
#include "rig/vm/vm.h"

namespace rig {

struct MappedGuest {
  Mapping mapping;
  Pinning pinning;
};

// Pure: the mapping as pins, the memory as this host can back it. Nodes are given where the host has several.
Pinning pinning_of(const Mapping& mapping, const Topology& guest, const Host& host, const MemoryMeans& memory,
                   Accelerator accelerator);

// The guests of attempts on this host. Each set of guests that run together is mapped once a run, so that all
// boots of a cell lie on the same CPUs.
class HostMap {
 public:
  HostMap(Host host, MemoryMeans memory, Accelerator accelerator, bool strict, unsigned side_by_side = 1)
      : host_(std::move(host)),
        memory_(std::move(memory)),
        accelerator_(accelerator),
        strict_(strict),
        side_by_side_(side_by_side) {}
  // To be called before attempts run. Throws as map_guests.
  void add(const std::vector<const Topology*>& guests);
  // One for each of those guests; they must have been added.
  const std::vector<MappedGuest>& of(const std::vector<const Topology*>& guests) const;
  const Host& host() const { return host_; }
  Accelerator accelerator() const { return accelerator_; }
  // Guests of several attempts may run at once, on the same host CPUs: their mapping then holds for none.
  unsigned side_by_side() const { return side_by_side_; }

 private:
  Host host_;
  MemoryMeans memory_;
  Accelerator accelerator_;
  bool strict_;
  unsigned side_by_side_;
  std::map<std::vector<std::string>, std::vector<MappedGuest>> guests_;  // by their topologies' names
};

// The plan's machines on this host, or nothing where guests run in virtual time, which no host CPU bears upon.
// Throws HostLacks where strict and this host cannot carry one of them exactly, or in virtual time where strict.
std::optional<HostMap> map_plan(const Plan& plan, Accelerator accelerator, bool strict, unsigned side_by_side);

// A guest in virtual time.
FidelityRecord unmapped(const Topology& guest, Accelerator accelerator);
// Pure. conditions: the host's before the boot; seen: nothing where the guest never came to run.
FidelityRecord fidelity_of(const HostMap& map, const MappedGuest& mapped, const Topology& guest,
                           const Conditions& conditions, const std::optional<PinsSeen>& seen);

}  // namespace rig
