// SPDX-License-Identifier: GPL-2.0-or-later
// Which card a guest has on its wire: what its kernel has a driver for.
#pragma once
#include "rig/kernel/kernel.h"
#include "rig/plan/plan.h"
#include "rig/plan/vm_spec.h"

namespace rig {

// virtio-net where the kernel has it built in, else e1000. Of a kernel whose configuration is not known, by
// its release: virtio since 2.6.25. Throws InputError where it has neither, with what to add.
NicModel nic_for(const KernelSpec& spec, const KernelArtifact& built);

// Of a modelled wire: i82557c (e100), the one card that was seen to do. Not a later one of its kind: from the i82558
// on e100 uses an extended form of commands, of which QEMU sends a second part that is not there (frames of up to
// 2,600 bytes for 82, and those lost), and the i82559er asks for a microcode since 2.6.29. Not virtio-net, whose
// completions come at host time; not e1000, whose interrupts QEMU holds 128 us apart; and not QEMU's RTL8139, an
// 8139C+, to which 6.1's 8139cp does not bind (-22). Throws InputError where the kernel is known to lack e100.
NicModel modelled_nic_for(const KernelSpec& spec, const KernelArtifact& built);

// The same for every kernel of the plan's wired cells, before any guest: kernel → "virtio-net". Over a modelled wire
// throws InputError as well where a cell's two ends cannot be in one guest (modelled_wire_cell).
std::map<std::string, std::string> nics_of(const Plan& plan, const std::map<std::string, KernelArtifact>& kernels,
                                           bool modelled);

}  // namespace rig
