// SPDX-License-Identifier: GPL-2.0-or-later
// The findings that a survey of the host gives: pure.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "rig/base/error.h"
#include "rig/mapping/mapping.h"
#include "rig/run/doctor.h"

namespace rig {
namespace {

// Percentages that a quiet host stays below.
constexpr double some_steal = 1, some_load = 10;

struct Noise {
  std::vector<std::string> words, mends;
  void add(const std::string& word, const std::string& mend = "") {
    words.push_back(word);
    if (!mend.empty()) mends.push_back(mend);
  }
};

Noise noise_of(const Conditions& c, std::size_t nodes) {
  Noise noise;
  if (c.nested && *c.nested != "no") noise.add("this host is itself a guest");
  if (c.governor && *c.governor != "performance")
    noise.add("governor " + *c.governor, "cpupower frequency-set -g performance");
  if (c.boost == "on") noise.add("boost on", "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
  if (nodes > 1 && c.numa_balancing && *c.numa_balancing != "0")
    noise.add("NUMA balancing on", "sysctl kernel.numa_balancing=0");
  if (c.ksm == "1") noise.add("KSM on", "echo 0 > /sys/kernel/mm/ksm/run");
  const auto beyond = [&](const std::optional<double>& percent, double limit, const char* what) {
    if (percent && *percent > limit) noise.add(fmt::format("{} {:.1f} %", what, *percent));
  };
  beyond(c.steal, some_steal, "steal");
  beyond(c.busy, some_load, "CPUs busy");
  beyond(c.pressure, some_load, "CPU pressure");
  return noise;
}

}  // namespace

Finding noise_finding(const Host& host) {
  const Noise noise = noise_of(host.conditions, host.nodes.size());
  Finding finding{.name = "noise"};
  if (noise.words.empty()) {
    finding.text = "nothing found that disturbs measured figures";
    return finding;
  }
  finding.state = noise.mends.empty() ? FindingState::Lacks : FindingState::Mend;
  finding.text =
      fmt::format("{}: disturbs measured figures (kvm), not those of virtual time", fmt::join(noise.words, ", "));
  finding.mend = fmt::format("{}", fmt::join(noise.mends, "; "));
  return finding;
}

Finding topology_finding(const Topology& topology, const Host& host) {
  Finding finding{.name = "topology " + topology.name};
  try {
    const Mapping mapping = map_guests(host, {.guests = {&topology}}).front();
    if (mapping.exact) {
      finding.text = fmt::format("exact on host CPUs {}", fmt::join(mapping.cpu_of_vcpu, ","));
      return finding;
    }
    finding.state = FindingState::Lacks;
    std::set<std::string> kinds;
    for (const auto& lost : mapping.lost) kinds.insert(to_string(lost.kind));
    finding.text = fmt::format(
        "partial: {} guest CPUs on {} host CPUs; lost: {} (rig show topology {} --host {})", mapping.cpu_of_vcpu.size(),
        std::set<unsigned>(mapping.cpu_of_vcpu.begin(), mapping.cpu_of_vcpu.end()).size(), fmt::join(kinds, ", "),
        topology.name, host.source.find(' ') == std::string::npos ? host.source : "'" + host.source + "'");
  } catch (const HostLacks& lacks) {
    finding.state = FindingState::Lacks;
    finding.text = lacks.what();
  }
  return finding;
}

}  // namespace rig
