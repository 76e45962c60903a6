// SPDX-License-Identifier: GPL-2.0-or-later
// What a report says of cells over a wire between two guests.
#pragma once
#include <cstddef>
#include <string>

#include "rig/report/grid.h"
#include "rig/report/section.h"

namespace rig::report {

// The kernels that only peers boot: none of the cells is of them.
bool is_peer_only(const RunRecord& record, const std::string& kernel);

// Which card each kernel has on its wire; empty where there is no wire.
std::string cards_text(const RunRecord& record, std::size_t width);

// Of each of the section's cells the least share, over its boots, of the card's interrupts and of the work of
// receiving that was on the CPU asked for, in both guests, and the round trips lost. Empty without a wire.
std::string wire_text(const Lookup& lookup, const Section& section, std::size_t width);
// The same as a table with its caption; without rows where there is no wire.
Grid wire_grid(const Lookup& lookup, const Section& section);

}  // namespace rig::report
