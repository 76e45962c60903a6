// SPDX-License-Identifier: GPL-2.0-or-later
// Where the functions to be replaced stand in QEMU's table of accelerator operations. The table's
// layout is no interface: it is recognised by what stands in it, from the function that starts vCPU
// threads to the one that reads the guest's cycle counter, and never guessed.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "rig/model/adapter/qemu_symbols.h"

namespace rig::model {

// Indices of words in the table.
struct AccelOps {
  std::size_t thread_is_idle = 0;      // bool (*)(cpu): asked only about a vCPU that is halted
  std::size_t handle_interrupt = 0;    // void (*)(cpu, mask)
  std::size_t get_virtual_clock = 0;   // int64_t (*)(): nanoseconds of QEMU_CLOCK_VIRTUAL
  std::size_t get_elapsed_ticks = 0;   // int64_t (*)(): what rdtsc reads
};

struct AccelOpsSearch {
  AccelOps found;
  std::string fault;  // why nothing was found, for people; empty where it was
};

// `words` are the table's, from its beginning.
AccelOpsSearch find_accel_ops(std::span<void* const> words, const QemuSymbols& symbols);

}  // namespace rig::model
