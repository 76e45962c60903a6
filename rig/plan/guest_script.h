// SPDX-License-Identifier: GPL-2.0-or-later
// The work of one attempt as the guest's agent reads it (rig/guest/PROTOCOL.md): a value and its text.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rig/plan/perturbation.h"

namespace rig {

struct ScriptStep {
  std::string name;
  std::vector<std::string> argv;
  std::int64_t limit_ms = 60000;
  bool background = false;
  int copies = 1;
  int cpu = -1;  // -1: unbound
  int wait_tcp_port = 0, wait_tcp_ms = 0;
  int model_begin_ms = -1, model_count_ms = 0;  // the region of interest, in guest time; -1: not marked here
  bool operator==(const ScriptStep&) const = default;
};

// A card of the guest that is on a wire.
struct ScriptInterface {
  std::string mac;                       // how the guest knows it: "52:54:00:72:69:01"
  std::string address;                   // "10.255.254.1/24"; empty: none
  std::string neighbour, neighbour_mac;  // a permanent ARP entry; empty: none
  int interrupt_cpu = -1;                // all its interrupts go there; -1: where the kernel likes
  bool operator==(const ScriptInterface&) const = default;
};

struct GuestScript {
  std::string results;   // "serial:/dev/ttyS1" or "virtio:rig.results"
  int heartbeat_ms = 0;  // 0: none
  Perturbation perturbation;
  std::vector<std::pair<std::string, std::string>> sysctls;
  std::vector<ScriptStep> steps;
  std::string hostname = {};                                    // empty: as the agent names it
  std::vector<std::pair<std::string, std::string>> hosts = {};  // address, name
  std::vector<ScriptInterface> interfaces = {};
  bool operator==(const GuestScript&) const = default;
};

// Throws InputError where a value holds a line break or a NUL, which the form cannot carry.
std::string script_text(const GuestScript& script);

}  // namespace rig
