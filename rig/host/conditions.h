// SPDX-License-Identifier: GPL-2.0-or-later
// What of a host bears on how quietly and how fast it runs guests: a snapshot, in the kernel's own words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rig {

// Each is nothing where this host (or its capture) does not tell it.
struct Conditions {
  std::optional<std::string> governor;        // cpufreq's, "powersave"; of several "performance, powersave"
  std::optional<std::string> frequency;       // cpufreq's driver: "intel_pstate"
  std::optional<std::string> boost;           // "on", "off"
  std::optional<std::string> smt;             // "on", "off", "forceoff", "notsupported", "notimplemented"
  std::optional<std::string> isolated;        // CPU list of isolcpus=, "" where none is isolated
  std::optional<std::string> nohz_full;       // CPU list of nohz_full=, "" where there is none
  std::optional<std::string> c_states;        // names of the idle states that are enabled: "POLL C1 C1E C6"
  std::optional<std::string> numa_balancing;  // "0", "1", "2"
  std::optional<std::string> thp;             // transparent huge pages: "always", "madvise", "never"
  std::optional<std::string> ksm;             // "0", "1", "2"
  std::optional<std::uint64_t> halt_poll_ns;  // kvm's
  std::optional<std::string> nested;          // "no", or what it runs under: "yes", "yes: Google Compute Engine"
  std::optional<std::uint64_t> huge_pages;    // free ones of the default size
  std::optional<double> steal;                // percent of CPU time taken by the host above, while surveyed
  std::optional<double> busy;                 // percent of CPU time not idle, while surveyed
  std::optional<double> pressure;             // /proc/pressure/cpu, "some avg10", percent
  bool operator==(const Conditions&) const = default;
};

// A line each, in this order: ("governor", "powersave"), ("boost", "absent") … Percentages with one decimal.
std::vector<std::pair<std::string, std::string>> lines(const Conditions& conditions);

// The value of one line back into its field; false where there is no such field or the text is none of its values.
bool set_condition(Conditions& conditions, const std::string& name, const std::string& value);

}  // namespace rig
