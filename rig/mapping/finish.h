// SPDX-License-Identifier: GPL-2.0-or-later
// What belongs to a mapping once its CPUs stand: memory, emulator threads, notes.
#pragma once
#include <cstdint>
#include <vector>

#include "rig/mapping/mapping.h"

namespace rig {

// The host node of each guest node of each mapping, given their CPUs; none where it fits nowhere.
void assign_memory(const Host& host, const std::vector<const Topology*>& guests, std::vector<Mapping>& mappings);

// What is wrong with guest node n's memory, or "".
std::string memory_fault(const Host& host, const Topology& guest, const std::vector<unsigned>& cpu_of_vcpu,
                         const std::vector<std::optional<unsigned>>& nodes, std::size_t n);

// Host CPUs for the other threads of QEMU: away from guest CPUs where there is room.
void assign_emulators(const Host& host, std::vector<Mapping>& mappings);

// Differences that lose no relation.
std::vector<std::string> notes_of(const Host& host, const Topology& guest, const Mapping& mapping);

}  // namespace rig
