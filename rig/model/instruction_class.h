// SPDX-License-Identifier: GPL-2.0-or-later
// The class of an x86-64 instruction from its bytes, for blocks at their translation.
#pragma once
#include <cstddef>
#include <cstdint>

#include "rig/model/machine_spec.h"

namespace rig::model {

struct Instruction {
  InstructionClass kind = InstructionClass::Simple;
  bool locked = false;  // lock prefix, or xchg with memory: its accesses are one of kind Locked
  bool halts = false;   // hlt
  bool port = false;    // in, out, ins, outs
  bool operator==(const Instruction&) const = default;
};

// What the table does not know is Simple. 64-bit mode; bytes beyond size count as 0.
Instruction classify(const std::uint8_t* bytes, std::size_t size);

}  // namespace rig::model
