// SPDX-License-Identifier: GPL-2.0-or-later
// The wire between a cell's two guests: cards, addresses and names, the same in every cell, for each has a
// wire of its own.
#pragma once
#include <filesystem>

#include "rig/plan/guest_script.h"
#include "rig/plan/vm_spec.h"

namespace rig {

enum class WireEnd { Guest, Peer };

// What the cell's guests call each other.
inline constexpr const char* guest_host = "rig";
inline constexpr const char* peer_host = "peer";

// The end's card, its sockets in folder.
Nic wire_nic(WireEnd end, NicModel model, const std::filesystem::path& folder);

// Puts the guest on the wire: its name and the other's, its address, the other as a permanent neighbour, and
// its interrupts on one CPU.
void put_on_wire(GuestScript& script, WireEnd end, int interrupt_cpu);

}  // namespace rig
