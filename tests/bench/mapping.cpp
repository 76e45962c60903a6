// SPDX-License-Identifier: GPL-2.0-or-later
// What it costs to map guests of 64 CPUs onto hosts of 512: CPU time, medians of five. Prints; judges nothing.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "rig/mapping/mapping.h"

using namespace rig;

namespace {

Topology guest(int sockets, int nodes, const std::vector<std::pair<int, int>>& caches) {
  Topology t;
  t.name = "guest";
  t.sockets = sockets;
  t.cores = 64 / sockets;
  for (const auto& [level, shared_by] : caches) {
    Cache cache;
    cache.level = level;
    cache.shared_by = shared_by;
    t.caches.push_back(cache);
  }
  for (int n = 0; n < nodes; ++n) {
    NumaNode node;
    node.memory = std::uint64_t{1} << 30;
    for (int cpu = 0; cpu < 64 / nodes; ++cpu) node.cpus.push_back(n * 64 / nodes + cpu);
    t.nodes.push_back(node);
  }
  return t;
}

void show(const std::string& description, const Topology& topology, std::size_t guests) {
  const Host host = survey_synthetic(description);
  const MappingRequest request{std::vector<const Topology*>(guests, &topology), false};
  std::vector<double> seconds;
  bool exact = true;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t begin = std::clock();
    for (const auto& mapping : map_guests(host, request)) exact = exact && mapping.exact;
    seconds.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{:>7.3f} s  {:<8} {} guest{} of 64 onto {} ({} CPUs)\n", seconds[2], exact ? "exact" : "partial", guests,
             guests == 1 ? "" : "s", description, host.cpus.size());
}

}  // namespace

int main() {
  const std::string server = "package:2 numa:4 l3:4 core:8 pu:2", flat = "package:1 l3:1 core:512 pu:1",
                    wide = "package:2 numa:4 l3:4 core:16 pu:1", clusters = "package:4 numa:1 l3:1 l2:64 core:2 pu:1";
  show(server, guest(2, 2, {{2, 1}, {3, 8}}), 1);
  show(server, guest(8, 8, {{2, 1}, {3, 8}}), 1);
  show(server, guest(1, 1, {{2, 4}, {3, 64}}), 1);
  show(flat, guest(1, 1, {{3, 64}}), 2);
  show(flat, guest(1, 1, {{2, 2}, {3, 64}}), 2);
  show(wide, guest(2, 4, {{2, 2}, {3, 32}}), 1);
  show(wide, guest(2, 4, {{2, 2}, {3, 32}}), 2);
  show(clusters, guest(2, 2, {{2, 4}, {3, 32}}), 1);
}
