// SPDX-License-Identifier: GPL-2.0-or-later
// What tells one boot of a cell from another in virtual time, where nothing else does: small accidents
// of the kind that tell two boots of a real machine apart. Without them a repetition gives the same bytes.
#pragma once
#include <cstdint>
#include <string>

namespace rig {

struct Perturbation {
  std::uint32_t number = 0;  // 0: nothing is perturbed
  int pages = 0;             // taken by the agent before its work, so that later ones lie elsewhere; 0 to 255
  int microseconds = 0;      // before the first step, so that timer ticks fall elsewhere in it; 0 to 9999
  bool operator==(const Perturbation&) const = default;

  // For the kernel's command line, which kernels since 5.18 mix into their random numbers
  // (drivers/char/random.c) and which a kernel takes for an unused module's parameter; empty for none.
  std::string word() const;
};

// Repetition 0 is never perturbed, whatever the seed.
Perturbation perturbation_of(std::uint64_t seed, int repetition);

}  // namespace rig
