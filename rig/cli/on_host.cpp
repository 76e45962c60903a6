// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/on_host.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <map>

#include "rig/base/base.h"

namespace rig::cli {
namespace {

namespace json = boost::json;

Mapping map_one(const Host& host, const Topology& topology, bool strict) {
  return map_guests(host, {{&topology}, strict}).front();
}

// Cells' placements on this machine, and whether the host carries their pair of CPUs.
std::map<Relation, bool> placements(const Plan& plan, const Topology& topology, const Mapping& mapping) {
  std::map<Relation, bool> found;
  for (const auto& cell : plan.cells) {
    if (cell.topology != topology.name || !cell.placement || !cell.cpus) continue;
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

json::object mapping_json(const Plan& plan, const Topology& topology, const Mapping& mapping) {
  json::object object;
  object["topology"] = topology.name;
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
  for (const auto& [placement, yes] : placements(plan, topology, mapping)) carried[to_string(placement)] = yes;
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
  for (const auto& topology : plan.matrix.topologies) {
    const Mapping mapping = map_one(host, topology, strict);
    text += fmt::format("  {}: mapping: {}, CPUs on host CPUs {}\n", topology.name, mapping.exact ? "exact" : "partial",
                        fmt::join(mapping.cpu_of_vcpu, ","));
    for (const auto& lost : mapping.lost) text += fmt::format("    lost: {}\n", lost.text);
    for (const auto& note : mapping.notes) text += fmt::format("    note: {}\n", note);
    std::string carried, missing;
    for (const auto& [placement, yes] : placements(plan, topology, mapping)) {
      (yes ? carried : missing) += " " + to_string(placement);
    }
    if (!carried.empty()) text += fmt::format("    placements carried:{}\n", carried);
    if (!missing.empty()) text += fmt::format("    placements not carried:{}\n", missing);
  }
  return text;
}

std::string plan_json_on(const Plan& plan, const Host& host, bool strict) {
  json::object object = json::parse(plan_json(plan)).as_object();
  json::array mappings;
  for (const auto& topology : plan.matrix.topologies) {
    mappings.push_back(mapping_json(plan, topology, map_one(host, topology, strict)));
  }
  object["host"] = host.source;
  object["mappings"] = std::move(mappings);
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
