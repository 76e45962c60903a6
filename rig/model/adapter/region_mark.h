// SPDX-License-Identifier: GPL-2.0-or-later
// The region of interest's marks, as the guest's programs execute them (rig/guest/mark.h).
#pragma once
#include <cstdint>
#include <span>

#include "rig/guest/mark.h"

namespace rig::model {

// The mark's number (rig_mark), 0 where the instruction is none.
constexpr int mark_of(std::span<const std::uint8_t> instruction) {
  if (instruction.size() != 7 || instruction[0] != 0x0f || instruction[1] != 0x1f || instruction[2] != 0x80) return 0;
  std::uint32_t displacement = 0;
  for (unsigned i = 0; i < 4; ++i) displacement |= std::uint32_t{instruction[3 + i]} << (8 * i);
  const std::uint32_t number = displacement - RIG_MARK_DISPLACEMENT;
  return number >= RIG_MARK_BEGIN && number <= RIG_MARK_END ? static_cast<int>(number) : 0;
}

}  // namespace rig::model
