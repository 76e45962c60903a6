// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/scalar.h"

#include <cmath>

#include "rig/base/units.h"
#include "rig/topology/topology.h"

namespace rig::config {
namespace {

bool scalar(const yaml::Node& node) { return node.kind == yaml::Node::Kind::Scalar; }

}  // namespace

std::optional<std::int64_t> as_integer(const yaml::Node& node) {
  if (!scalar(node)) return std::nullopt;
  return parse_integer(node.text);
}

std::optional<std::uint64_t> as_bytes(const yaml::Node& node) {
  if (!scalar(node)) return std::nullopt;
  const auto bytes = parse_bytes(node.text);
  return bytes && *bytes <= static_cast<std::uint64_t>(INT64_MAX) ? bytes : std::nullopt;
}

std::optional<std::int64_t> as_milliseconds(const yaml::Node& node) {
  if (!scalar(node)) return std::nullopt;
  const auto duration = parse_duration(node.text);
  if (!duration) return std::nullopt;
  return duration->count();
}

std::optional<std::int64_t> as_mhz(const yaml::Node& node) {
  if (!scalar(node)) return std::nullopt;
  const std::string_view text = node.text;
  double factor = 0;
  if (text.ends_with("GHz")) factor = 1000;
  if (text.ends_with("MHz")) factor = 1;
  if (factor == 0) return std::nullopt;
  auto digits = text.substr(0, text.size() - 3);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto number = parse_number(digits);
  if (!number || *number <= 0 || *number > 1e6) return std::nullopt;
  const double mhz = std::round(*number * factor);
  return mhz >= 1 ? std::optional(static_cast<std::int64_t>(mhz)) : std::nullopt;
}

std::optional<bool> as_switch(const yaml::Node& node) {
  if (!scalar(node)) return std::nullopt;
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  return std::nullopt;
}

std::optional<std::vector<int>> as_cpus(const yaml::Node& node) {
  if (!scalar(node)) return std::nullopt;
  return parse_cpu_list(node.text);
}

const yaml::Node* child(const yaml::Node* map, std::string_view key) {
  if (map == nullptr) return nullptr;
  const yaml::Member* member = map->find(key);
  return member == nullptr || !member->value ? nullptr : member->value.get();
}

std::string text_at(const yaml::Node* map, std::string_view key, const std::string& otherwise) {
  const yaml::Node* node = child(map, key);
  return node != nullptr && scalar(*node) ? node->text : otherwise;
}

std::int64_t integer_at(const yaml::Node* map, std::string_view key, std::int64_t otherwise) {
  const yaml::Node* node = child(map, key);
  return node == nullptr ? otherwise : as_integer(*node).value_or(otherwise);
}

int int_at(const yaml::Node* map, std::string_view key, int otherwise) {
  const std::int64_t number = integer_at(map, key, otherwise);
  return number >= INT32_MIN && number <= INT32_MAX ? static_cast<int>(number) : otherwise;
}

std::uint64_t bytes_at(const yaml::Node* map, std::string_view key, std::uint64_t otherwise) {
  const yaml::Node* node = child(map, key);
  return node == nullptr ? otherwise : as_bytes(*node).value_or(otherwise);
}

std::int64_t milliseconds_at(const yaml::Node* map, std::string_view key, std::int64_t otherwise) {
  const yaml::Node* node = child(map, key);
  return node == nullptr ? otherwise : as_milliseconds(*node).value_or(otherwise);
}

std::vector<yaml::NodePtr> items_at(const yaml::Node* map, std::string_view key) {
  if (map == nullptr) return {};
  const yaml::Member* member = map->find(key);
  if (member == nullptr || !member->value || member->value->kind == yaml::Node::Kind::Null) return {};
  if (member->value->kind == yaml::Node::Kind::List) return member->value->items;
  return {member->value};
}

std::vector<std::string> texts_at(const yaml::Node* map, std::string_view key) {
  std::vector<std::string> texts;
  for (const auto& item : items_at(map, key)) {
    if (scalar(*item)) texts.push_back(item->text);
  }
  return texts;
}

}  // namespace rig::config
