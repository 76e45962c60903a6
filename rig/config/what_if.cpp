// SPDX-License-Identifier: GPL-2.0-or-later
// A machine with some values changed.
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/units.h"
#include "rig/config/machines.h"
#include "rig/config/scalar.h"
#include "rig/config/splice.h"

namespace rig::config {
namespace {

using NodeKind = yaml::Node::Kind;

constexpr std::string_view timing_prefix = "timing.";

// The machine's own quantity at a path of the file, or null.
const Quantity* quantity_at(const Topology& topology, std::string_view path) {
  if (!topology.timing || !path.starts_with(timing_prefix)) return nullptr;
  return topology.timing->find(path.substr(timing_prefix.size()));
}

bool is_bare(const yaml::Node& node) { return node.kind == NodeKind::Scalar && parse_number(node.text).has_value(); }

// A bare number is in the unit of the number whose place it takes, also within a group of the timing.
yaml::NodePtr with_units(const yaml::NodePtr& value, const std::string& path, const Topology& replaced) {
  const auto with_unit = [](const yaml::Node& number, const Quantity& quantity) {
    auto copy = std::make_shared<yaml::Node>(number);
    copy->text += " " + std::string(to_string(quantity.unit));
    return copy;
  };
  const Quantity* quantity = quantity_at(replaced, path);
  if (quantity != nullptr && is_bare(*value)) return with_unit(*value, *quantity);
  if (value->kind != NodeKind::Map) return value;
  auto map = std::make_shared<yaml::Node>(*value);
  for (auto& member : map->members) {
    if (quantity == nullptr) {
      member.value = with_units(member.value, join(path, member.key), replaced);
    } else if (member.key == "value" && is_bare(*member.value)) {
      member.value = with_unit(*member.value, *quantity);
    }
  }
  return map;
}

// Reads the changed tree; its faults are of the definition's file but for those at changed values.
std::optional<Topology> read(const Machine& machine, const yaml::NodePtr& tree, std::vector<Diagnostic>& found) {
  Document document{machine.file, tree, Faults(machine.file, found)};
  check_shape(topology_shape(), *tree, "", document.faults);
  return topology_of(document);
}

yaml::NodePtr with_changes(const Machine& machine, const std::vector<Change>& changes, const std::string& file) {
  yaml::NodePtr tree = machine.tree;
  for (const auto& change : changes) {
    const auto origin = std::make_shared<yaml::Origin>(yaml::Origin{file, change.path, change.source});
    const auto value = with_units(change.value, change.path, machine.topology);
    tree = spliced(*tree, change.path, with_origin(*value, origin));
  }
  return tree;
}

bool same(const Diagnostic& a, const Diagnostic& b) { return a.path == b.path && a.message == b.message; }

// The change without which this fault is not there; the first where it takes several.
const Change& cause(const Machine& machine, const std::vector<Change>& changes, const Diagnostic& fault,
                    const std::string& file) {
  for (std::size_t i = 0; i < changes.size() && changes.size() > 1; ++i) {
    auto others = changes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<Diagnostic> found;
    read(machine, with_changes(machine, others, file), found);
    if (std::none_of(found.begin(), found.end(), [&](const Diagnostic& other) { return same(other, fault); }))
      return changes[i];
  }
  return changes.front();
}

// A fault of the changed machine, at the value in the matrix that brings it about.
Diagnostic at_cause(const Machine& machine, const std::vector<Change>& changes, Diagnostic fault,
                    const std::string& file) {
  const bool there = std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
    return fault.pos.file == file && fault.path.starts_with(change.source);
  });
  if (there) return fault;
  const Change& change = cause(machine, changes, fault, file);
  const auto& mark = change.value->mark;
  const bool missing = fault.message == "is missing";
  if (missing && fault.path == change.path)
    return {{file, mark.line, mark.column}, change.source, "no value, and a topology needs one", fault.allowed, ""};
  return {{file, mark.line, mark.column},
          change.source,
          with_it(fault.path, fault.message),
          missing ? "" : fault.allowed,
          missing ? fmt::format("set {} as well", fault.path) : fault.suggestion};
}

std::string shown_quantity(const Quantity& quantity) {
  return fmt::format("{} {}", quantity.value, to_string(quantity.unit));
}

}  // namespace

std::string shown_at(const Machine& machine, const std::string& path) {
  if (const Quantity* quantity = quantity_at(machine.topology, path)) return shown_quantity(*quantity);
  const yaml::Node* node = node_at(*machine.tree, path);
  if (node == nullptr) return "";
  std::vector<Diagnostic> none;
  Faults ignored("", none);
  const Shape* shape = shape_at(topology_shape(), path, {}, "", ignored);
  if (shape != nullptr && shape->kind == Shape::Kind::Bytes) {
    if (const auto bytes = as_bytes(*node)) return format_bytes(*bytes);
  }
  if (shape != nullptr && shape->kind == Shape::Kind::Integer) {
    if (const auto number = as_integer(*node)) return std::to_string(*number);
  }
  return flow_text(*node);
}

std::optional<Machine> changed(const Machine& machine, const std::vector<Change>& changes, const std::string& file,
                               std::vector<Diagnostic>& all, std::vector<std::string>& shown) {
  Machine result{machine.topology, with_changes(machine, changes, file), machine.file};
  std::vector<Diagnostic> found;
  auto topology = read(machine, result.tree, found);
  for (auto& fault : found) {
    fault = at_cause(machine, changes, std::move(fault), file);
    const bool known = std::any_of(
        all.begin(), all.end(), [&](const Diagnostic& other) { return other.pos == fault.pos && same(other, fault); });
    if (!known) all.push_back(std::move(fault));
  }
  if (!topology) return std::nullopt;
  result.topology = std::move(*topology);
  result.topology.base = definition_of(machine.topology);
  result.topology.settings = machine.topology.settings;
  shown.clear();
  for (const auto& change : changes) {
    const std::string value = shown_at(result, change.path);
    shown.push_back(value.empty() ? "none" : value);
  }
  return result;
}

}  // namespace rig::config
