// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes as guests of QEMU 10.0.2 showed them in sysfs, with Linux 6.1.
#include "rig/topology/guest_limits.h"

#include <catch2/catch_test_macros.hpp>

#include "machines.h"

using namespace rig;

TEST_CASE("Intel's models show the same caches, variants of a model too") {
  const Cache l1{.level = 1, .type = CacheType::Data}, l2{.level = 2}, l3{.level = 3};
  for (const char* model : {"Penryn", "Conroe", "Nehalem", "Haswell-noTSX-IBRS", "Skylake-Server-v5"}) {
    INFO(model);
    CHECK(size_shown(model, l1) == 32u << 10);
    CHECK(size_shown(model, l2) == 4u << 20);
    CHECK(size_shown(model, l3) == 16u << 20);
  }
}

TEST_CASE("Of models that are not known nothing is said before the boot") {
  CHECK_FALSE(size_shown("EPYC", {.level = 2}));
  CHECK_FALSE(size_shown("Haswellian", {.level = 2}));
  CHECK_FALSE(size_shown("host", {.level = 2}));
}

TEST_CASE("The machines of the posts can be shown, and need little of the memory they have") {
  CHECK(guest_faults(q6600()).empty());
  CHECK(guest_faults(dell_1950()).empty());
  CHECK(least_memory(4) == 128u << 20);
  CHECK(least_memory(64) > least_memory(16));
}
