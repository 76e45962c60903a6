// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/counters.h"

namespace rig::model {
namespace {

constexpr const char* source_names[source_count] = {"level1",
                                                    "level2",
                                                    "level3",
                                                    "transfer-level2",
                                                    "transfer-level3",
                                                    "transfer-package",
                                                    "transfer-other-package",
                                                    "memory",
                                                    "remote-memory"};
constexpr const char* reach_names[reach_count] = {"level2", "level3", "package", "other-package"};

}  // namespace

const char* name(Source source) { return source_names[static_cast<std::size_t>(source)]; }
const char* name(Reach reach) { return reach_names[static_cast<std::size_t>(reach)]; }

Cycles Counters::cycles() const {
  Cycles sum =
      compute + locked_cycles + split_cycles + queueing.cycles + ipis.cycles + interrupts.cycles + halt_exits.cycles;
  for (const auto& tally : served) sum += tally.cycles;
  for (const auto& tally : upgrades) sum += tally.cycles;
  for (const auto& tally : devices) sum += tally.cycles;
  return sum;
}

std::vector<std::pair<std::string, std::uint64_t>> listing(const Counters& c) {
  std::vector<std::pair<std::string, std::uint64_t>> list = {
      {"instructions", c.instructions},
      {"compute.cycles", c.compute},
      {"loads", c.loads},
      {"stores", c.stores},
      {"locked.count", c.locked},
      {"locked.cycles", c.locked_cycles},
      {"splits.count", c.splits},
      {"splits.cycles", c.split_cycles},
  };
  const auto add = [&](const std::string& what, const Tally& tally) {
    list.emplace_back(what + ".count", tally.count);
    list.emplace_back(what + ".cycles", tally.cycles);
  };
  for (std::size_t i = 0; i < source_count; ++i) add(std::string("served.") + source_names[i], c.served[i]);
  for (std::size_t i = 0; i < reach_count; ++i) add(std::string("upgrades.") + reach_names[i], c.upgrades[i]);
  add("queueing", c.queueing);
  for (std::size_t i = 0; i < device_count; ++i) {
    add(std::string("devices.") + name(static_cast<Device>(i)), c.devices[i]);
  }
  add("ipis", c.ipis);
  add("interrupts", c.interrupts);
  add("halt-exits", c.halt_exits);
  list.emplace_back("writebacks", c.writebacks);
  list.emplace_back("back-invalidations", c.back_invalidations);
  list.emplace_back("invalidated", c.invalidated);
  return list;
}

}  // namespace rig::model
