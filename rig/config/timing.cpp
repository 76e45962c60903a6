// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rig/base/units.h"
#include "rig/config/scalar.h"

namespace rig::config {
namespace {

// What a number of each kind may be of, the unit of a bare number first, and at most.
Shape shape_of_kind(TimingKind kind) {
  switch (kind) {
    case TimingKind::Time:
      return quantity({"cycles", "ns"}, 10000000);
    case TimingKind::PerInstruction:
      return quantity({"cycles"}, 100000);
    case TimingKind::Part:
      return quantity({"%"}, 100);
    case TimingKind::Rate:
      return quantity({"MT/s"}, 1000000);
  }
  return {};
}

struct Number {
  double value;
  std::string unit;  // empty: bare
};

// "107 ns" in its two parts, whatever the unit.
std::optional<Number> as_number(const yaml::Node& node) {
  if (node.kind != yaml::Node::Kind::Scalar) return std::nullopt;
  const std::size_t end = std::min(node.text.find_first_not_of("0123456789."), node.text.size());
  const auto value = parse_number(std::string_view(node.text).substr(0, end));
  if (!value) return std::nullopt;
  const std::size_t unit = std::min(node.text.find_first_not_of(' ', end), node.text.size());
  return Number{*value, node.text.substr(unit)};
}

std::optional<TimingUnit> unit_of(const std::string& name) {
  for (const auto unit :
       {TimingUnit::Cycles, TimingUnit::Nanoseconds, TimingUnit::Percent, TimingUnit::MegaTransfers}) {
    if (name == to_string(unit) || (unit == TimingUnit::Cycles && name == "cycle")) return unit;
  }
  return std::nullopt;
}

bool allows(const Shape& shape, const std::string& unit) {
  return unit.empty() || (unit_of(unit) && std::find(shape.words.begin(), shape.words.end(),
                                                     std::string(to_string(*unit_of(unit)))) != shape.words.end());
}

void check_number(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults) {
  const auto wrong = [&](const std::string& message) { faults.add(node.mark, path, message, allowed(shape)); };
  const auto number = as_number(node);
  if (!number) {
    return wrong(node.kind == yaml::Node::Kind::Scalar ? fmt::format("'{}' is no number with a unit", node.text)
                                                       : "no number with a unit");
  }
  if (number->unit.empty() && shape.words.size() > 1) return wrong(fmt::format("'{}' has no unit", node.text));
  if (!allows(shape, number->unit)) return wrong(fmt::format("'{}' is not a unit here", number->unit));
  if (number->value > static_cast<double>(shape.max)) return wrong(fmt::format("'{}' is too large", node.text));
}

void check_range(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults) {
  const bool pair = node.kind == yaml::Node::Kind::List && node.items.size() == 2;
  if (!pair) return faults.add(node.mark, path, "no range", "two numbers in the value's unit, as [13, 15]");
  for (std::size_t i = 0; i < 2; ++i) {
    const auto number = as_number(*node.items[i]);
    if (!number || !number->unit.empty() || number->value > static_cast<double>(shape.max)) {
      faults.add(node.items[i]->mark, join(path, i), "no such number",
                 "a number in the value's unit, without the unit");
    }
  }
}

std::optional<Quantity> read_quantity(const yaml::Node& node, const Shape& shape) {
  const yaml::Node* value = node.kind == yaml::Node::Kind::Map ? child(&node, "value") : &node;
  const auto number = value == nullptr ? std::nullopt : as_number(*value);
  if (!number || !allows(shape, number->unit)) return std::nullopt;
  Quantity quantity;
  quantity.value = quantity.low = quantity.high = number->value;
  quantity.unit = unit_of(number->unit.empty() ? shape.words.front() : number->unit).value_or(TimingUnit::Cycles);
  if (const yaml::Node* range = child(&node, "range"); range != nullptr && range->items.size() == 2) {
    const auto low = as_number(*range->items[0]), high = as_number(*range->items[1]);
    if (low && high) quantity.low = low->value, quantity.high = high->value;
  }
  quantity.source = text_at(&node, "source");
  quantity.fitted = text_at(&node, "fitted");
  return quantity;
}

std::pair<std::string, std::string> parts(std::string_view path) {
  const std::size_t dot = path.find('.');
  return {std::string(path.substr(0, dot)), std::string(path.substr(dot + 1))};
}

}  // namespace

void check_quantity(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults) {
  if (node.kind != yaml::Node::Kind::Map) return check_number(shape, node, path, faults);
  static const Shape parts = object({
      {"value", true, value(), "the number with its unit"},
      {"range", false, list(value()), "where the true value is taken to lie, as [13, 15]"},
      {"source", false, text(), "where the number is from"},
      {"fitted", false, text(), "the published figure that it was fitted to"},
  });
  const std::size_t before = faults.count();
  check_shape(parts, node, path, faults);
  if (faults.count() != before) return;
  check_number(shape, *child(&node, "value"), join(path, "value"), faults);
  if (const yaml::Node* range = child(&node, "range")) check_range(shape, *range, join(path, "range"), faults);
}

const Shape& timing_shape() {
  static const Shape shape = [] {
    std::vector<Field> groups;
    for (const auto& field : timing_fields()) {
      const auto [group, name] = parts(field.path);
      if (groups.empty() || groups.back().name != group) groups.push_back({group, false, object({}), ""});
      groups.back().shape.fields.push_back({name, false, shape_of_kind(field.kind), std::string(field.help)});
    }
    groups.push_back({"clean_lines", false, word({"from-memory", "from-cache"}),
                      "whence an unmodified line in another outermost cache comes (from-memory)"});
    return object(std::move(groups));
  }();
  return shape;
}

std::optional<Timing> read_timing(const yaml::Node* section) {
  if (section == nullptr) return std::nullopt;
  Timing timing;
  timing.passes_clean_lines = text_at(section, "clean_lines") == "from-cache";
  for (const auto& field : timing_fields()) {
    const auto [group, name] = parts(field.path);
    const yaml::Node* node = child(child(section, group), name);
    if (node == nullptr) continue;
    if (const auto quantity = read_quantity(*node, shape_of_kind(field.kind))) {
      timing.values.emplace(field.path, *quantity);
    }
  }
  return timing;
}

}  // namespace rig::config
