// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <boost/regex.hpp>
#include <optional>

#include "rig/base/units.h"
#include "rig/config/scalar.h"
#include "rig/config/shape.h"

namespace rig::config {
namespace {

using Kind = Shape::Kind;
using NodeKind = yaml::Node::Kind;

// What the user wrote, short enough for one line.
std::string shown(const yaml::Node& node) {
  switch (node.kind) {
    case NodeKind::Null:
      return "nothing";
    case NodeKind::List:
      return "a list";
    case NodeKind::Map:
      return "a map";
    case NodeKind::Scalar:
      break;
  }
  constexpr std::size_t longest = 40;
  std::string text;
  for (const char c : std::string_view(node.text).substr(0, longest)) {
    text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  while (!text.empty() && node.text.size() > longest && (static_cast<unsigned char>(text.back()) & 0x80) != 0) {
    text.pop_back();  // no half of a character
  }
  return fmt::format("'{}{}'", text, node.text.size() > longest ? "…" : "");
}

const char* kind_word(Kind kind) {
  switch (kind) {
    case Kind::Integer:
      return "a whole number";
    case Kind::Bytes:
      return "a size";
    case Kind::Duration:
      return "a time";
    case Kind::Clock:
      return "a frequency";
    case Kind::Cpus:
      return "a list of CPU numbers";
    case Kind::Switch:
      return "true or false";
    case Kind::List:
      return "a list";
    case Kind::Map:
    case Kind::Object:
      return "a map";
    default:
      return "one line of text";
  }
}

// A scalar's number in the unit of the shape's bounds; nothing where the shape has no bounds.
std::optional<std::int64_t> measure(Kind kind, const yaml::Node& node) {
  switch (kind) {
    case Kind::Integer:
      return as_integer(node);
    case Kind::Duration:
      return as_milliseconds(node);
    case Kind::Clock:
      return as_mhz(node);
    case Kind::Bytes: {
      const auto bytes = as_bytes(node);
      return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool one_line(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
}

bool matches(const std::string& text, const std::string& expression) {
  return text.size() <= 256 && one_line(text) && boost::regex_match(text, boost::regex(expression));
}

void check_scalar(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults) {
  const auto wrong = [&](const std::string& message, const std::string& suggestion = "") {
    faults.add(node.mark, path, message, allowed(shape), suggestion);
  };
  if (node.kind != NodeKind::Scalar) {
    const bool word = shape.kind == Kind::Pattern || shape.kind == Kind::Word || shape.kind == Kind::Value;
    return wrong(fmt::format("{} where {} is expected", shown(node), word ? "a word" : kind_word(shape.kind)));
  }
  switch (shape.kind) {
    case Kind::Integer:
    case Kind::Bytes:
    case Kind::Duration:
    case Kind::Clock: {
      const auto number = measure(shape.kind, node);
      if (!number) return wrong(fmt::format("{} is not {}", shown(node), kind_word(shape.kind)));
      if (*number < shape.min) return wrong(fmt::format("{} is too small", shown(node)));
      if (*number > shape.max) return wrong(fmt::format("{} is too large", shown(node)));
      return;
    }
    case Kind::Cpus:
      if (!as_cpus(node)) wrong(fmt::format("{} is not {}", shown(node), kind_word(shape.kind)));
      return;
    case Kind::Switch:
      if (!as_switch(node)) wrong(fmt::format("{} is not {}", shown(node), kind_word(shape.kind)));
      return;
    case Kind::Word:
      if (std::find(shape.words.begin(), shape.words.end(), node.text) == shape.words.end()) {
        wrong(fmt::format("{} is not known here", shown(node)), did_you_mean(node.text, shape.words));
      }
      return;
    case Kind::Pattern:
      if (!matches(node.text, shape.pattern)) wrong(fmt::format("{} cannot stand here", shown(node)));
      return;
    default:
      if (node.text.empty()) return wrong("an empty text");
      if (!one_line(node.text)) return wrong("a text of several lines");
  }
}

void check_object(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults) {
  std::vector<std::string> names;
  for (const auto& field : shape.fields) names.push_back(field.name);
  for (const auto& member : node.members) {
    const auto field =
        std::find_if(shape.fields.begin(), shape.fields.end(), [&](const Field& f) { return f.name == member.key; });
    if (field != shape.fields.end()) {
      check_shape(field->shape, *member.value, join(path, member.key), faults);
    } else if (!shape.open) {
      faults.add(member.mark, join(path, member.key), "this key is not known here", one_of(names),
                 did_you_mean(member.key, names));
    }
  }
  for (const auto& field : shape.fields) {
    if (field.required && node.find(field.name) == nullptr) {
      faults.add(node.mark, join(path, field.name), "is missing", allowed(field.shape), field.help);
    }
  }
}

}  // namespace

void check_shape(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults) {
  const auto expected = [&](const char* what) {
    faults.add(node.mark, path, fmt::format("{} where {} is expected", shown(node), what), allowed(shape));
  };
  switch (shape.kind) {
    case Kind::List:
    case Kind::OneOrMany: {
      const bool of_maps = shape.item.front().kind == Kind::Map;
      if (shape.kind == Kind::OneOrMany && node.kind == (of_maps ? NodeKind::Map : NodeKind::Scalar)) {
        return check_shape(shape.item.front(), node, path, faults);
      }
      if (node.kind != NodeKind::List)
        return expected(kind_word(shape.kind == Kind::List ? Kind::List : of_maps ? Kind::Map : Kind::Text));
      const auto count = static_cast<std::int64_t>(node.items.size());
      if (count < shape.min)
        faults.add(node.mark, path, count == 0 ? "an empty list" : "too few values",
                   fmt::format("at least {}", shape.min));
      if (count > shape.max)
        faults.add(node.mark, path, fmt::format("{} values", count), fmt::format("at most {}", shape.max));
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        check_shape(shape.item.front(), *node.items[i], join(path, i), faults);
      }
      return;
    }
    case Kind::Map:
      if (node.kind != NodeKind::Map) return expected(kind_word(shape.kind));
      for (const auto& member : node.members) {
        if (!matches(member.key, shape.pattern)) {
          faults.add(member.mark, join(path, member.key), "this key cannot stand here", shape.meaning);
        }
        check_shape(shape.item.front(), *member.value, join(path, member.key), faults);
      }
      return;
    case Kind::Either:
      return check_shape(shape.item[node.kind == NodeKind::Map ? 1 : 0], node, path, faults);
    case Kind::Any:
      return;
    case Kind::Quantity:
      return check_quantity(shape, node, path, faults);
    case Kind::Object:
      if (node.kind != NodeKind::Map) return expected(kind_word(shape.kind));
      return check_object(shape, node, path, faults);
    default:
      return check_scalar(shape, node, path, faults);
  }
}

}  // namespace rig::config
