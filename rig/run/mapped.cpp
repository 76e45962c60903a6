// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/mapped.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/base/error.h"

namespace rig {
namespace {

std::vector<int> numbers(std::vector<unsigned> cpus) {
  std::sort(cpus.begin(), cpus.end());
  return {cpus.begin(), cpus.end()};
}

std::vector<std::string> names_of(const std::vector<const Topology*>& guests) {
  std::vector<std::string> names;
  for (const Topology* guest : guests) names.push_back(guest->name);
  return names;
}

bool fits(const Mapping& mapping, unsigned guest_node) {
  return std::none_of(mapping.lost.begin(), mapping.lost.end(), [&](const LostRelation& lost) {
    return lost.kind == LostKind::Memory && lost.guest_node == guest_node;
  });
}

// Whether every guest node's memory is there in free huge pages of its host node.
bool has_huge_pages(const Mapping& mapping, const Topology& guest, const MemoryMeans& memory) {
  if (memory.huge_page == 0) return false;
  std::map<unsigned, std::uint64_t> needed;
  for (std::size_t i = 0; i < guest.nodes.size(); ++i) {
    if (i >= mapping.node_of_guest_node.size() || !mapping.node_of_guest_node[i]) return false;
    if (guest.nodes[i].memory % memory.huge_page != 0) return false;
    needed[*mapping.node_of_guest_node[i]] += guest.nodes[i].memory / memory.huge_page;
  }
  return std::all_of(needed.begin(), needed.end(), [&](const auto& need) {
    const auto free = memory.huge_pages.find(need.first);
    return free != memory.huge_pages.end() && free->second >= need.second;
  });
}

constexpr LostKind all_kinds[] = {LostKind::Core, LostKind::Cache,  LostKind::Nearness,
                                  LostKind::Node, LostKind::Memory, LostKind::Package};

void add_seen(FidelityRecord& record, const PinsSeen& seen) {
  auto& out = record.seen;
  const auto percent = [&](const char* name, const std::optional<double>& share) {
    if (share) out[name] = 100 * *share;
  };
  percent("steal", seen.steal);
  percent("cpu-pressure", seen.cpu_pressure);
  percent("memory-pressure", seen.memory_pressure);
  percent("io-pressure", seen.io_pressure);
  ThreadsSeen all;
  for (const ThreadsSeen& vcpu : seen.vcpus) {
    all.migrations += vcpu.migrations;
    all.voluntary_switches += vcpu.voluntary_switches;
    all.involuntary_switches += vcpu.involuntary_switches;
    all.ran += vcpu.ran;
    all.waited += vcpu.waited;
    all.migrations_known = all.migrations_known || vcpu.migrations_known;
    all.times_known = all.times_known || vcpu.times_known;
  }
  if (all.migrations_known) out["migrations"] = static_cast<double>(all.migrations);
  out["voluntary-switches"] = static_cast<double>(all.voluntary_switches);
  out["involuntary-switches"] = static_cast<double>(all.involuntary_switches);
  const auto wanted = all.ran + all.waited;
  if (all.times_known && wanted.count() > 0)
    out["vcpus-waited"] = 100 * static_cast<double>(all.waited.count()) / static_cast<double>(wanted.count());
  out["watched"] = std::chrono::duration<double>(seen.watched).count();
  out["looks"] = seen.looks;
}

}  // namespace

Pinning pinning_of(const Mapping& mapping, const Topology& guest, const Host& host, const MemoryMeans& memory,
                   Accelerator accelerator) {
  Pinning pins;
  for (const unsigned cpu : mapping.cpu_of_vcpu) pins.vcpus.push_back({static_cast<int>(cpu)});
  pins.emulator = numbers(mapping.emulator);
  if (host.nodes.size() > 1) {
    for (std::size_t i = 0; i < guest.nodes.size(); ++i) {
      const auto node = i < mapping.node_of_guest_node.size() ? mapping.node_of_guest_node[i] : std::nullopt;
      if (!node) {
        pins.memory.emplace_back();
        continue;
      }
      pins.memory.push_back(Pinning::Memory{.host_node = static_cast<int>(*node),
                                            .mode = fits(mapping, static_cast<unsigned>(i))
                                                        ? Pinning::MemoryMode::Strict
                                                        : Pinning::MemoryMode::Preferred});
    }
  }
  // Only where figures are measured: emulation is slower than any page fault.
  if (accelerator != Accelerator::Kvm) return pins;
  if (has_huge_pages(mapping, guest, memory)) pins.huge_page = memory.huge_page;
  // twice: QEMU's own memory is locked too, and the host must have room beside it
  pins.locked = memory.may_lock && memory.available > 2 * memory_bytes(guest);
  return pins;
}

void HostMap::add(const std::vector<const Topology*>& guests) {
  const auto [slot, fresh] = guests_.try_emplace(names_of(guests));
  if (!fresh) return;
  const auto mappings = map_guests(host_, {.guests = guests, .strict = strict_});
  for (std::size_t i = 0; i < guests.size(); ++i)
    slot->second.push_back({mappings[i], pinning_of(mappings[i], *guests[i], host_, memory_, accelerator_)});
}

const std::vector<MappedGuest>& HostMap::of(const std::vector<const Topology*>& guests) const {
  return guests_.at(names_of(guests));
}

std::optional<HostMap> map_plan(const Plan& plan, Accelerator accelerator, bool strict, unsigned side_by_side) {
  if (in_virtual_time(accelerator)) {
    if (strict)
      throw HostLacks(fmt::format("--strict asks for guest CPUs on host CPUs that share what they share, and under {} "
                                  "one thread plays all guest CPUs",
                                  to_string(accelerator)),
                      "a host whose KVM boots guests; or leave --strict out");
    return std::nullopt;
  }
  if (strict && side_by_side > 1)
    throw InputError(
        "--strict: several guests side by side (--jobs) would take turns on the same host CPUs\n"
        "  leave --jobs out: guests in real time then run one after the other");
  HostMap map(survey_live(), survey_memory(), accelerator, strict, side_by_side);
  for (const Cell& cell : plan.cells) {
    if (cell.peer)
      map.add({&topology_of(plan, cell), &topology_of(plan, *cell.peer)});
    else
      map.add({&topology_of(plan, cell)});
  }
  return map;
}

FidelityRecord unmapped(const Topology& guest, Accelerator accelerator) {
  FidelityRecord record;
  record.machine = guest.name;
  record.accelerator = to_string(accelerator);
  record.mapping = "none";
  return record;
}

FidelityRecord fidelity_of(const HostMap& map, const MappedGuest& mapped, const Topology& guest,
                           const Conditions& conditions, const std::optional<PinsSeen>& seen) {
  const Mapping& mapping = mapped.mapping;
  FidelityRecord record = unmapped(guest, map.accelerator());
  record.mapping = mapping.exact ? "exact" : "partial";
  for (const auto& cpus : mapped.pinning.vcpus) record.pins.push_back(format_cpu_list(cpus));
  record.emulator = format_cpu_list(mapped.pinning.emulator);
  record.overcommitted = mapping.overcommitted || map.side_by_side() > 1;
  for (const LostKind kind : all_kinds) {
    const bool lost = std::any_of(mapping.lost.begin(), mapping.lost.end(),
                                  [&](const LostRelation& relation) { return relation.kind == kind; });
    if (!lost) record.held.push_back(to_string(kind));
  }
  for (const auto& relation : mapping.lost) record.lost.push_back(to_string(relation.kind) + ": " + relation.text);
  record.notes = mapping.notes;
  if (map.side_by_side() > 1)
    record.notes.push_back(fmt::format("up to {} guests ran side by side on the same host CPUs", map.side_by_side()));
  if (mapped.pinning.huge_page != 0)
    record.notes.push_back(fmt::format("memory in huge pages of {} KiB", mapped.pinning.huge_page / 1024));
  if (mapped.pinning.locked) record.notes.emplace_back("memory locked");
  for (const auto& [name, value] : lines(conditions)) record.controls[name] = value;
  if (seen) add_seen(record, *seen);
  return record;
}

}  // namespace rig
