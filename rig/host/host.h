// SPDX-License-Identifier: GPL-2.0-or-later
// The host that guests run on: CPUs with what they share, memory nodes, conditions. A value, surveyed with
// hwloc from the machine itself, from a captured hwloc XML, or from a synthetic string. CPUs and nodes are
// named by the kernel's (os) index throughout; lists of them are sorted.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rig/host/conditions.h"

namespace rig {

struct HostCpu {
  unsigned os = 0;           // the kernel's index, as taskset and vcpupin take it
  unsigned core = 0;         // index of its core, counted over the host
  bool online = true;        // a capture that does not tell why a CPU is missing has it neither online nor allowed
  bool allowed = true;       // by affinity and cpuset
  bool isolated = false;     // isolcpus=: the kernel's scheduler leaves it alone
  std::optional<bool> idle;  // hardly used while surveyed; none: not known
  unsigned kind = 0;         // kinds of cores, 0 the least performant; one kind: 0
  std::string kind_name;     // "IntelCore", "IntelAtom"; empty where not told
  bool usable() const { return online && allowed; }
  bool operator==(const HostCpu&) const = default;
};

// A cache that holds data, one instance.
struct HostCache {
  int level = 1;
  std::uint64_t size = 0;  // bytes; 0: not told
  std::vector<unsigned> cpus;
  bool operator==(const HostCache&) const = default;
};

// A package or a die.
struct HostGroup {
  unsigned os = 0;
  std::vector<unsigned> cpus;
  bool operator==(const HostGroup&) const = default;
};

struct HostNode {
  unsigned os = 0;
  std::optional<std::uint64_t> memory;  // bytes; 0: memory-less; none: not told (synthetic), taken as enough
  std::vector<unsigned> cpus;           // those it is local to; may be none
  bool allowed = true;                  // by cpuset
  bool operator==(const HostNode&) const = default;
};

struct Host {
  std::string source;             // "live", "synthetic:…", or the file
  std::string title;              // "Intel(R) Xeon(R) …", empty where not told
  std::vector<HostCpu> cpus;      // by os index, those that cannot be used as well
  std::vector<HostCache> caches;  // innermost levels first
  std::vector<HostGroup> packages, dies;
  std::vector<HostNode> nodes;                   // at least one
  std::vector<std::vector<unsigned>> distances;  // nodes × nodes in the order of nodes, or empty: not told
  Conditions conditions;
  std::vector<std::string> notes;  // what the survey could not read, for people
  bool operator==(const Host&) const = default;
};

const HostCpu* find_cpu(const Host& host, unsigned os);    // nothing where there is none
const HostNode* find_node(const Host& host, unsigned os);  // nothing where there is none
std::vector<unsigned> usable_cpus(const Host& host);

// The machine rig runs on, confined to what this process may use. With another root than "/" a copy of its
// /proc and /sys below there, of which affinity and load are not known. Takes 0.1 s, to see which CPUs are idle.
// Throws HostLacks where hwloc cannot read it, WorkError where root is not a directory.
Host survey_live(const std::filesystem::path& root = "/");

// A capture: of capture_host(), or of hwloc's lstopo. Throws InputError with the reason.
Host survey_xml(const std::filesystem::path& file);

// hwloc's synthetic description: "pack:2 l3:1 core:4 pu:2". Memory it does not state is not known.
Host survey_synthetic(const std::string& description);

// What --host takes: "live", "synthetic:STRING", or a file. Throws InputError naming what is allowed.
Host survey(const std::string& word);

// This machine as hwloc XML for survey_xml, conditions included, confined as survey_live is. It holds no host
// name, serial number or other name of one machine: attributes are kept by a list of those known as harmless.
std::string capture_host();
// The same of any hwloc XML that lstopo wrote. Throws InputError.
std::string scrub_capture(const std::filesystem::path& file);

// The host in text: packages, caches, nodes, what may not be used, conditions.
std::string draw(const Host& host);

}  // namespace rig
