// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "rig/base/units.h"
#include "rig/plan/plan.h"

namespace rig {
namespace {

namespace json = boost::json;

json::object cell_json(const Cell& cell) {
  json::object parameters;
  for (const auto& [name, value] : cell.parameters) parameters[name] = value;
  json::object object;
  object["id"] = cell.id;
  object["kernel"] = cell.kernel;
  object["topology"] = cell.topology;
  object["job"] = cell.job;
  object["parameters"] = std::move(parameters);
  object["placement"] = cell.placement ? json::value(json::string(to_string(*cell.placement))) : json::value(nullptr);
  if (cell.cpus) {
    object[cell.peer ? "interrupt_cpu" : "client_cpu"] = cell.cpus->first;
    object[cell.peer ? "process_cpu" : "server_cpu"] = cell.cpus->second;
  }
  if (const auto& peer = cell.peer) {
    json::object other{{"kernel", peer->kernel}, {"topology", peer->topology}, {"interrupt_cpu", peer->interrupt_cpu}};
    other["process_cpu"] = peer->process_cpu ? json::value(*peer->process_cpu) : json::value(nullptr);
    object["peer"] = std::move(other);
  }
  return object;
}

json::object settings_json(const std::vector<Setting>& settings) {
  json::object object;
  for (const auto& setting : settings) object[setting.path] = setting.value;
  return object;
}

std::string parameters_text(const Cell& cell) {
  std::string text;
  for (const auto& [name, value] : cell.parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string placement_text(const Cell& cell) {
  if (!cell.placement || !cell.cpus) return "unbound";
  return fmt::format("{} ({},{})", to_string(*cell.placement), cell.cpus->first, cell.cpus->second);
}

// Columns as wide as their widest value, two spaces apart.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("  {:<{}}", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// Each value once, in the order given.
std::string once(const std::vector<std::string>& values, const char* between) {
  std::vector<std::string> known;
  for (const auto& value : values) {
    if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
  }
  return fmt::format("{}", fmt::join(known, between));
}

// A machine a line; the points of a sweep share one, and their paths have one each.
std::string topologies_text(const std::vector<Topology>& topologies) {
  std::string text;
  std::set<std::string> told;
  for (const auto& first : topologies) {
    const std::string family = family_of(first.name);
    if (!told.insert(family).second) continue;
    std::vector<std::string> sizes;
    std::vector<std::vector<std::string>> values(first.swept.size());
    std::size_t points = 0;
    for (const auto& topology : topologies) {
      if (family_of(topology.name) != family) continue;
      ++points;
      sizes.push_back(fmt::format("{} CPUs, {}", cpu_count(topology), format_bytes(memory_bytes(topology))));
      for (const auto& setting : topology.swept) {
        for (std::size_t i = 0; i < first.swept.size(); ++i) {
          if (first.swept[i].path == setting.path) values[i].push_back(setting.value);
        }
      }
    }
    text += fmt::format("  topology {}: {}", family, once(sizes, " or "));
    if (family != definition_of(first)) text += fmt::format("; made from {}", first.base);
    text += "\n";
    for (const auto& [path, value] : first.settings) text += fmt::format("    {} = {}\n", path, value);
    if (first.swept.empty()) continue;
    text += fmt::format("    {} point{} of a sweep\n", points, points == 1 ? "" : "s");
    for (std::size_t i = 0; i < first.swept.size(); ++i)
      text += fmt::format("    {} = {}\n", first.swept[i].path, once(values[i], " | "));
  }
  return text;
}

// What is in an image; where there are several, for which kernels.
std::string image_text(const MatrixSpec& matrix, const ImageSpec& image) {
  std::vector<std::string> packages, kernels;
  for (const auto& package : image.packages)
    packages.push_back(package.package + (package.optional ? " (optional)" : ""));
  for (const auto& source : sources_of(image)) packages.push_back(source + " (source)");
  std::string text = fmt::format("  image {}: {} ({})", image.name, fmt::join(packages, ", "), image.suite);
  for (const auto& kernel : all_kernels(matrix)) {
    if (image_is_open(matrix, kernel))
      kernels.push_back(kernel.name + (image == matrix.image ? "" : ", if it turns out to be older"));
    else if (choose_image(matrix, kernel.version) == image)
      kernels.push_back(kernel.name);
  }
  if (!matrix.fallbacks.empty()) text += fmt::format("; for {}", fmt::join(kernels, ", "));
  return text + "\n";
}

std::string needs_text(const Plan& plan) {
  std::string text = "needs\n";
  for (const auto& kernel : all_kernels(plan.matrix)) {
    text += fmt::format("  kernel {}: {}, {}", kernel.name, describe_source(kernel),
                        is_prebuilt(kernel) ? "taken as it is" : "built with " + kernel.toolchain.name);
    if (!kernel.patches.empty())
      text += fmt::format(", {} patch{}", kernel.patches.size(), kernel.patches.size() == 1 ? "" : "es");
    text += "\n";
  }
  std::vector<Topology> topologies = plan.matrix.topologies;
  for (const auto& peer : plan.matrix.peer_topologies) {
    if (std::find(topologies.begin(), topologies.end(), peer) == topologies.end()) topologies.push_back(peer);
  }
  text += topologies_text(topologies);
  text += image_text(plan.matrix, plan.matrix.image);
  for (const auto& image : plan.matrix.fallbacks) text += image_text(plan.matrix, image);
  return text;
}

}  // namespace

std::string plan_json(const Plan& plan) {
  json::object root;
  root["name"] = plan.matrix.name;
  root["hash"] = plan.hash;
  root["seed"] = plan.seed;
  root["boots"] = plan.matrix.boots;
  if (const auto& until = plan.matrix.until)
    root["until"] = {{"ci", until->ci}, {"confidence", until->confidence}, {"min", until->min}, {"max", until->max}};
  root["rounds"] = plan.matrix.rounds.measured;
  root["warmup_rounds"] = plan.matrix.rounds.warmup;
  root["baseline"] = plan.matrix.baseline;
  root["image"] = plan.matrix.image.name;
  root["expected_guest_ms"] = expected_ms(plan);
  json::array kernels, topologies, cells, order, skipped;
  for (const auto& kernel : all_kernels(plan.matrix)) {
    json::object object{{"name", kernel.name}, {"title", kernel.title}, {"source", describe_source(kernel)}};
    if (!image_is_open(plan.matrix, kernel)) object["image"] = choose_image(plan.matrix, kernel.version).name;
    kernels.push_back(std::move(object));
  }
  for (const auto& topology : plan.matrix.topologies) {
    json::object object{{"name", topology.name},
                        {"title", topology.title},
                        {"cpus", cpu_count(topology)},
                        {"memory_bytes", memory_bytes(topology)}};
    if (!topology.base.empty()) {
      object["base"] = topology.base;
      object["set"] = settings_json(topology.settings);
      object["sweep"] = settings_json(topology.swept);
    }
    topologies.push_back(std::move(object));
  }
  for (const auto& cell : plan.cells) cells.push_back(cell_json(cell));
  for (const auto& left_out : plan.skipped) {
    json::object object = cell_json(left_out.cell);
    object["reason"] = left_out.reason;
    skipped.push_back(std::move(object));
  }
  for (const auto& attempt : plan.order) {
    order.push_back(json::object{{"cell", plan.cells.at(attempt.cell).id}, {"repetition", attempt.repetition}});
  }
  root["kernels"] = std::move(kernels);
  root["topologies"] = std::move(topologies);
  root["cells"] = std::move(cells);
  root["skipped"] = std::move(skipped);
  root["order"] = std::move(order);
  return json::serialize(root) + "\n";
}

std::string plan_text(const Plan& plan) {
  const int boots = plan.matrix.boots;
  std::string text = fmt::format("{}: {} cell{} × {} boot{} = {} boot{}, seed {}, plan {}\n", plan.matrix.name,
                                 plan.cells.size(), plan.cells.size() == 1 ? "" : "s", boots, boots == 1 ? "" : "s",
                                 plan.order.size(), plan.order.size() == 1 ? "" : "s", plan.seed, plan.hash);
  if (const auto& until = plan.matrix.until)
    text += fmt::format("at most: {} to {} boots of each, until ci {:g} % at {:g} %; in virtual time {}\n", until->min,
                        until->max, 100 * until->ci, 100 * until->confidence, until->min);
  if (const Rounds& rounds = plan.matrix.rounds; rounds != Rounds{}) text += "each boot: " + to_string(rounds) + "\n";
  text += "\n";
  std::vector<std::vector<std::string>> rows = {{"cell", "kernel", "topology", "job", "parameters", "placement"}};
  const bool peers = over_wire(plan.matrix);
  if (peers) rows.front().emplace_back("peer");
  for (const auto& cell : plan.cells) {
    rows.push_back({cell.id, cell.kernel == plan.matrix.baseline ? cell.kernel + " (baseline)" : cell.kernel,
                    cell.topology, cell.job, parameters_text(cell), placement_text(cell)});
    if (peers) rows.back().push_back(cell.peer ? to_string(cell.peer->asked) : "");
  }
  text += table(rows);
  if (!plan.skipped.empty()) {
    std::set<std::string> reasons;
    for (const auto& left_out : plan.skipped) reasons.insert(left_out.reason);
    text += fmt::format("\nleft out: {} cell{}\n", plan.skipped.size(), plan.skipped.size() == 1 ? "" : "s");
    for (const auto& reason : reasons) text += "  " + reason + "\n";
  }
  text += "\n" + needs_text(plan);
  text += fmt::format("\nexpected: {} of guest time in the jobs, and {} guest boot{}\n",
                      format_duration(std::chrono::milliseconds(expected_ms(plan))), plan.order.size(),
                      plan.order.size() == 1 ? "" : "s");
  return text;
}

}  // namespace rig
