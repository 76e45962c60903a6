// SPDX-License-Identifier: GPL-2.0-or-later
// The points of a sweep.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/config/machines.h"
#include "rig/config/scalar.h"
#include "rig/config/splice.h"
#include "rig/topology/timing_faults.h"

namespace rig::config {
namespace {

using Kind = Shape::Kind;

constexpr std::string_view timing_prefix = "timing.";
constexpr const char* range_word = "range";

bool is_range(const Change& value) { return value.value->text == range_word; }

// Whether it is one value that can be told in a name, and is of the machine rather than of reports.
bool sweepable(const Shape& shape) {
  return shape.kind == Kind::Integer || shape.kind == Kind::Bytes || shape.kind == Kind::Clock ||
         shape.kind == Kind::Quantity || shape.kind == Kind::Word || shape.kind == Kind::Pattern;
}

// The path is sound and its values are of a kind that can be swept.
std::optional<SweptPath> read_path(const yaml::Member& member, const yaml::Node& map, const std::string& where,
                                   Faults& faults) {
  SweptPath path{member.key, join(where, member.key), member.mark, nullptr, {}};
  path.shape = shape_at(topology_shape(), path.path, member.mark, path.source, faults);
  if (path.shape == nullptr) return std::nullopt;
  if (path.path == "topology" || !sweepable(*path.shape)) {
    faults.add(member.mark, path.source, fmt::format("{} cannot be swept", path.path), "a path of one number or word",
               "write a what-if of each among the topologies: {base: …, as: …, set: …}");
    return std::nullopt;
  }
  const bool list = member.value->kind == yaml::Node::Kind::List;
  const auto items = items_at(&map, member.key);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i]->kind != yaml::Node::Kind::Scalar) continue;
    path.values.push_back({path.path, items[i], list ? join(path.source, i) : path.source});
    if (!is_range(path.values.back()) || path.shape->kind == Kind::Quantity) continue;
    faults.add(items[i]->mark, path.values.back().source,
               fmt::format("range stands for the range of a number of the timing; {} has none", path.path),
               allowed(*path.shape));
    return std::nullopt;
  }
  return path.values.empty() ? std::nullopt : std::optional(std::move(path));
}

// The values that a path takes on this machine; nothing, with a fault, where it has no such path.
std::vector<Change> values_on(const Machine& machine, const SweptPath& path, Faults& faults) {
  const bool timing = path.path.starts_with(timing_prefix);
  const std::string number = timing ? path.path.substr(timing_prefix.size()) : "";
  const bool absent = node_at(*machine.tree, path.path) == nullptr;
  const auto has_range = std::find_if(path.values.begin(), path.values.end(), is_range);
  if (absent && path.shape->kind == Kind::Quantity &&
      (has_range != path.values.end() || !timing_counts(machine.topology, number))) {
    faults.add(path.mark, path.source, fmt::format("{} has no {}", machine.topology.name, path.path),
               "a path that every topology of the matrix has");
    return {};
  }
  std::vector<Change> values;
  for (const auto& value : path.values) {
    if (!is_range(value)) {
      values.push_back(value);
      continue;
    }
    const Quantity& quantity = machine.topology.timing->values.at(number);
    for (const double end : {quantity.low, quantity.value, quantity.high}) {
      auto node = std::make_shared<yaml::Node>(*value.value);
      node->text = fmt::format("{} {}", end, to_string(quantity.unit));
      values.push_back({value.path, std::move(node), value.source});
    }
  }
  return values;
}

using Changes = std::vector<Change>;

// Every combination of the values, those of the last path changing fastest; none where a path has none.
std::vector<Changes> combinations(const Machine& machine, const std::vector<SweptPath>& paths, Faults& faults) {
  std::vector<Changes> all = {{}};
  for (const auto& path : paths) {
    std::vector<Changes> longer;
    const auto values = values_on(machine, path, faults);
    for (const auto& before : all) {
      for (const auto& value : values) {
        longer.push_back(before);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// "fsb.cache_to_cache=150ns".
std::string point_name(const std::string& path, std::string value) {
  std::erase(value, ' ');
  return (path.starts_with(timing_prefix) ? path.substr(timing_prefix.size()) : path) + "=" + value;
}

std::vector<std::string> paths_of(const Sweep& sweep) {
  std::vector<std::string> paths;
  for (const auto& map : sweep) {
    for (const auto& path : map) {
      if (std::find(paths.begin(), paths.end(), path.path) == paths.end()) paths.push_back(path.path);
    }
  }
  return paths;
}

}  // namespace

Sweep read_sweep(const yaml::Node& matrix, Faults& faults) {
  Sweep sweep;
  const yaml::Node* whole = child(&matrix, "sweep");
  if (whole == nullptr) return sweep;
  const auto maps = items_at(&matrix, "sweep");
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::string where = whole->kind == yaml::Node::Kind::List ? join("sweep", i) : "sweep";
    if (maps[i]->kind != yaml::Node::Kind::Map) continue;
    if (maps[i]->members.empty())
      faults.add(maps[i]->mark, where, "an empty map", "a path and its values, as timing.halt.exit: range");
    std::vector<SweptPath> paths;
    for (const auto& member : maps[i]->members) {
      if (auto path = read_path(member, *maps[i], where, faults)) paths.push_back(std::move(*path));
    }
    if (!paths.empty()) sweep.push_back(std::move(paths));
  }
  return sweep;
}

std::size_t most_points(const Sweep& sweep) {
  constexpr std::size_t plenty = 1'000'000;  // beyond it nothing need be told apart
  std::size_t sum = 0;
  for (const auto& map : sweep) {
    std::size_t product = 1;
    for (const auto& path : map) {
      std::size_t values = 0;
      for (const auto& value : path.values) values += is_range(value) ? 3 : 1;
      product = std::min(product * values, plenty);
    }
    sum += product;
  }
  return sum;
}

std::vector<Machine> points_of(const Machine& machine, const Sweep& sweep, Faults& faults,
                               std::vector<Diagnostic>& all) {
  const auto paths = paths_of(sweep);
  const std::string own = machine_key(machine.topology);
  std::map<std::string, std::string> home;  // path → where it stands in the machine as it is
  for (const auto& path : paths) {
    if (const std::string value = shown_at(machine, path); !value.empty()) home[path] = value;
  }
  struct Point {
    Machine machine;
    std::map<std::string, std::string> moved;  // path → value
  };
  std::vector<Point> points;
  std::set<std::string> keys;
  for (const auto& map : sweep) {
    for (const auto& changes : combinations(machine, map, faults)) {
      std::vector<std::string> shown;
      auto point = changed(machine, changes, faults.file(), all, shown);
      if (!point) continue;
      std::string name;
      std::map<std::string, std::string> moved;
      for (std::size_t i = 0; i < changes.size(); ++i) {
        name += (i == 0 ? "@" : "+") + point_name(changes[i].path, shown[i]);
        moved[changes[i].path] = shown[i];
      }
      const std::string key = machine_key(point->topology);
      if (key == own) home.insert(moved.begin(), moved.end());
      if (!keys.insert(key).second) continue;
      point->topology.name = machine.topology.name + name;
      points.push_back({std::move(*point), std::move(moved)});
    }
  }
  std::vector<Machine> result;
  for (auto& point : points) {
    Topology& topology = point.machine.topology;
    std::erase_if(topology.settings, [&](const Setting& setting) { return point.moved.contains(setting.path); });
    for (const auto& path : paths) {
      const auto moved = point.moved.find(path), stays = home.find(path);
      if (moved != point.moved.end()) {
        topology.swept.push_back({path, moved->second});
      } else if (stays != home.end()) {
        topology.swept.push_back({path, stays->second});
      }
    }
    result.push_back(std::move(point.machine));
  }
  return result;
}

}  // namespace rig::config
