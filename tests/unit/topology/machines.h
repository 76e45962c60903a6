// SPDX-License-Identifier: GPL-2.0-or-later
// The machines of the two posts, written out by hand for the tests.
#pragma once
#include "rig/topology/topology.h"

inline rig::Topology q6600() {
  using namespace rig;
  Topology t;
  t.name = "q6600";
  t.title = "Intel Core 2 Quad Q6600";
  t.cpu_model = "Penryn";
  t.cpuid_level = 10;
  t.sockets = 1, t.dies = 2, t.cores = 2, t.threads = 1;
  t.caches = {{.level = 1, .type = CacheType::Data, .size = 32 << 10, .ways = 8},
              {.level = 1, .type = CacheType::Instruction, .size = 32 << 10, .ways = 8},
              {.level = 2, .size = 4 << 20, .ways = 16, .shared_by = 2}};
  t.nodes = {{{0, 1, 2, 3}, 1u << 30}};
  return t;
}

inline rig::Topology dell_1950() {
  rig::Topology t = q6600();
  t.name = "dell-1950";
  t.sockets = 2;
  t.caches[2].size = 6 << 20, t.caches[2].ways = 24, t.caches[2].shown = 4 << 20;
  t.nodes = {{{0, 1, 2, 3, 4, 5, 6, 7}, 1u << 30}};
  return t;
}
