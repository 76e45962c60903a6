// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/perturbation.h"

#include <fmt/format.h>

#include <random>

#include "rig/plan/order.h"

namespace rig {

std::string Perturbation::word() const { return number == 0 ? "" : fmt::format("rig.perturb={:08x}", number); }

Perturbation perturbation_of(std::uint64_t seed, int repetition) {
  if (repetition == 0) return {};
  std::mt19937_64 generator(seed);
  generator.discard(4 * static_cast<unsigned long long>(repetition));
  Perturbation drawn;
  drawn.number = static_cast<std::uint32_t>(1 + draw_below(generator, UINT32_MAX));
  drawn.pages = static_cast<int>(draw_below(generator, 256));
  drawn.microseconds = static_cast<int>(draw_below(generator, 10000));
  return drawn;
}

}  // namespace rig
