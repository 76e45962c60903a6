// SPDX-License-Identifier: GPL-2.0-or-later
// --host live|FILE.xml|synthetic:STRING: how a host carries the machines.
#pragma once
#include <filesystem>
#include <string>

#include "rig/host/host.h"
#include "rig/mapping/mapping.h"
#include "rig/plan/plan.h"

namespace CLI {
class App;
}

namespace rig::cli {

struct OnHost {
  std::string host;     // as given; empty: not asked for
  bool strict = false;  // what cannot be carried exactly is an error
};

// --host and --strict; the struct must live as long as the parser.
void add_host_options(CLI::App& app, OnHost& options);

// Of each machine of the plan a line, what is lost, and which placements of its cells are carried.
// Throws HostLacks under strict.
std::string mappings_text(const Plan& plan, const Host& host, bool strict);
// plan_json with "host" and "mappings" beside the rest.
std::string plan_json_on(const Plan& plan, const Host& host, bool strict);

// rig show topology: machine, host and mapping; to a picture as well where a file is named.
std::string topology_on(const Topology& topology, const OnHost& options, const std::filesystem::path& svg);

}  // namespace rig::cli
