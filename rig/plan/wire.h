// SPDX-License-Identifier: GPL-2.0-or-later
// The wire between a cell's two guests: cards, addresses and names, the same in every cell, for each has a
// wire of its own.
#pragma once
#include <filesystem>
#include <vector>

#include "rig/plan/guest_script.h"
#include "rig/plan/vm_spec.h"

namespace rig {

enum class WireEnd { Guest, Peer };

// What the cell's guests call each other.
inline constexpr const char* guest_host = "rig";
inline constexpr const char* peer_host = "peer";

// The end's card, its sockets in folder.
Nic wire_nic(WireEnd end, NicModel model, const std::filesystem::path& folder);

// A wire inside one modelled guest, since two cannot share one virtual time: the guest's card, and another of the
// same guest at the wire's other end, which has no address.
std::vector<Nic> modelled_nics(NicModel model);
inline constexpr const char* far_card = "52:54:00:72:69:03";

// As put_on_wire, of both cards; the other machine's MAC is none of the two, so that this guest's own network
// code takes no packet of the far card for its own.
void put_on_modelled_wire(GuestScript& script, int interrupt_cpu, int peer_cpu);

// Puts the guest on the wire: its name and the other's, its address, the other as a permanent neighbour, and
// its interrupts on one CPU.
void put_on_wire(GuestScript& script, WireEnd end, int interrupt_cpu);

}  // namespace rig
