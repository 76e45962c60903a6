// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/on_host.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "rig/base/base.h"

namespace rig::cli {
namespace {

namespace json = boost::json;

Mapping map_one(const Host& host, const Topology& topology, bool strict) {
  return map_guests(host, {{&topology}, strict}).front();
}

// Guests that run at once: a machine alone, or with its peer's at the other end of a wire.
struct Together {
  const Topology* guest;
  const Topology* peer;  // null: alone
  bool operator==(const Together&) const = default;
};

// Every set that the plan's cells make, in the plan's order of machines; a machine that no cell is on stands alone.
std::vector<Together> sets_of(const Plan& plan) {
  std::vector<Together> sets;
  for (const auto& topology : plan.matrix.topologies) {
    const std::size_t before = sets.size();
    for (const auto& cell : plan.cells) {
      if (cell.topology != topology.name) continue;
      const Together one{&topology, cell.peer ? &topology_of(plan, *cell.peer) : nullptr};
      if (std::find(sets.begin(), sets.end(), one) == sets.end()) sets.push_back(one);
    }
    const bool only_as_peer = std::any_of(plan.cells.begin(), plan.cells.end(), [&](const Cell& cell) {
      return cell.peer && &topology_of(plan, *cell.peer) == &topology;
    });
    if (sets.size() == before && !only_as_peer) sets.push_back({&topology, nullptr});
  }
  return sets;
}

std::vector<Mapping> map_set(const Host& host, const Together& set, bool strict) {
  std::vector<const Topology*> guests = {set.guest};
  if (set.peer != nullptr) guests.push_back(set.peer);
  return map_guests(host, {.guests = guests, .strict = strict});
}

// Cells' placements on this machine, and whether the host carries their pair of CPUs.
std::map<Relation, bool> placements(const Plan& plan, const Together& set, const Mapping& mapping) {
  std::map<Relation, bool> found;
  for (const auto& cell : plan.cells) {
    if (cell.topology != set.guest->name || !cell.placement || !cell.cpus) continue;
    if ((cell.peer ? &topology_of(plan, *cell.peer) : nullptr) != set.peer) continue;
    found[*cell.placement] =
        carries(mapping, static_cast<unsigned>(cell.cpus->first), static_cast<unsigned>(cell.cpus->second));
  }
  return found;
}

template <class Numbers>
json::array numbers(const Numbers& values) {
  json::array array;
  for (const auto value : values) array.push_back(value);
  return array;
}

// role: "guest", or "peer" of the machine before it.
json::object mapping_json(const Topology& topology, const Mapping& mapping, const char* role,
                          const std::map<Relation, bool>& placements) {
  json::object object;
  object["topology"] = topology.name;
  object["role"] = role;
  object["exact"] = mapping.exact;
  object["overcommitted"] = mapping.overcommitted;
  object["cpus"] = numbers(mapping.cpu_of_vcpu);
  object["emulator"] = numbers(mapping.emulator);
  json::array nodes, lost, notes;
  for (const auto& node : mapping.node_of_guest_node) nodes.push_back(node ? json::value(*node) : json::value(nullptr));
  for (const auto& relation : mapping.lost) {
    lost.push_back(json::object{{"kind", to_string(relation.kind)}, {"text", relation.text}});
  }
  for (const auto& note : mapping.notes) notes.push_back(json::string(note));
  json::object carried;
  for (const auto& [placement, yes] : placements) carried[to_string(placement)] = yes;
  object["nodes"] = std::move(nodes);
  object["lost"] = std::move(lost);
  object["notes"] = std::move(notes);
  object["placements_carried"] = std::move(carried);
  return object;
}

}  // namespace

void add_host_options(CLI::App& app, OnHost& options) {
  app.add_option("--host", options.host, "how this host carries it: live, FILE.xml (of lstopo), synthetic:STRING");
  app.add_flag("--strict", options.strict, "with --host: exit 3 where it is not carried exactly");
}

std::string mappings_text(const Plan& plan, const Host& host, bool strict) {
  std::string text = fmt::format("\nhost {}\n", host.source);
  const auto tell = [&](const std::string& name, const Mapping& mapping) {
    text += fmt::format("  {}: mapping: {}, CPUs on host CPUs {}\n", name, mapping.exact ? "exact" : "partial",
                        fmt::join(mapping.cpu_of_vcpu, ","));
    for (const auto& lost : mapping.lost) text += fmt::format("    lost: {}\n", lost.text);
    for (const auto& note : mapping.notes) text += fmt::format("    note: {}\n", note);
  };
  for (const auto& set : sets_of(plan)) {
    const auto mappings = map_set(host, set, strict);
    const std::string beside = set.peer != nullptr ? ", its peer beside it" : "";
    tell(set.guest->name + beside, mappings[0]);
    std::string carried, missing;
    for (const auto& [placement, yes] : placements(plan, set, mappings[0])) {
      (yes ? carried : missing) += " " + to_string(placement);
    }
    if (!carried.empty()) text += fmt::format("    placements carried:{}\n", carried);
    if (!missing.empty()) text += fmt::format("    placements not carried:{}\n", missing);
    if (set.peer != nullptr) tell(set.peer->name + ", the peer of " + set.guest->name, mappings[1]);
  }
  return text;
}

std::string plan_json_on(const Plan& plan, const Host& host, bool strict) {
  json::object object = json::parse(plan_json(plan)).as_object();
  json::array all;
  for (const auto& set : sets_of(plan)) {
    const auto mappings = map_set(host, set, strict);
    all.push_back(mapping_json(*set.guest, mappings[0], "guest", placements(plan, set, mappings[0])));
    if (set.peer != nullptr) all.push_back(mapping_json(*set.peer, mappings[1], "peer", {}));
  }
  object["host"] = host.source;
  object["mappings"] = std::move(all);
  return json::serialize(object) + "\n";
}

std::string topology_on(const Topology& topology, const OnHost& options, const std::filesystem::path& svg) {
  if (options.host.empty()) {
    if (options.strict) throw InputError("--strict: it needs a host: --host live, for one");
    if (!svg.empty()) write_file(svg, draw_svg(topology));
    return draw(topology);
  }
  const Host host = survey(options.host);
  const Mapping mapping = map_one(host, topology, options.strict);
  if (!svg.empty()) write_file(svg, draw_svg(topology, host, mapping));
  return draw(topology) + "\n" + draw(host) + "\n" + draw(mapping, topology, host);
}

}  // namespace rig::cli
