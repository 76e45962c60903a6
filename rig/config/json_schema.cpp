// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/json_schema.h"

#include <boost/json.hpp>
#include <boost/regex.hpp>
#include <limits>

#include "rig/base/units.h"
#include "rig/config/definition_file.h"

namespace rig {
namespace {

namespace json = boost::json;
using config::Field;
using config::Shape;

// std::from_chars' numbers without a sign, as they stand before a unit.
constexpr const char* number = "(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?";

json::object of_type(const char* type) { return {{"type", type}}; }

json::object text_like(const std::string& pattern) {
  return {{"type", "string"}, {"pattern", "^(?:" + pattern + ")$"}};
}

json::object any_of(json::array choices) { return {{"anyOf", std::move(choices)}}; }

// What YAML would take for a number or a switch is text as well, where text is asked for.
json::object one_line() {
  return {{"type", json::array{"string", "number", "boolean"}}, {"minLength", 1}, {"pattern", "^[^\\r\\n\\u0000]*$"}};
}

// A pattern binds text alone, so that of what YAML takes for a number a few examples tell whether it may stand there.
json::object pattern(const Shape& shape) {
  const boost::regex expression(shape.pattern);
  const auto takes = [&](const char* example) { return boost::regex_match(example, expression); };
  json::object text = text_like(shape.pattern);
  text["maxLength"] = 256;
  json::array choices{std::move(text)};
  if (takes("15")) {
    json::object whole = of_type("integer");
    if (!takes("-1")) whole["minimum"] = takes("5") ? 0 : 10;
    choices.push_back(std::move(whole));
  }
  if (takes("1.5")) {
    json::object broken = of_type("number");
    broken["not"] = of_type("integer");
    if (!takes("-1.5")) broken["minimum"] = 0;
    choices.push_back(std::move(broken));
  }
  if (takes("true")) choices.push_back(of_type("boolean"));
  return choices.size() == 1 ? choices.front().as_object() : any_of(std::move(choices));
}

json::object words(const Shape& shape) {
  json::array allowed;
  for (const auto& word : shape.words) {
    allowed.emplace_back(word);
    if (const auto whole = parse_integer(word)) allowed.emplace_back(*whole);
    if (word == "true" || word == "false") allowed.emplace_back(word == "true");
  }
  return {{"enum", std::move(allowed)}};
}

json::object whole(const Shape& shape) { return {{"type", "integer"}, {"minimum", shape.min}, {"maximum", shape.max}}; }

json::object schema_of(const Shape& shape);

json::object quantity(const Shape& shape) {
  std::string units;
  for (const auto& unit : shape.words) units += (units.empty() ? "" : "|") + unit + (unit == "cycles" ? "|cycle" : "");
  const bool bare = shape.words.size() == 1;  // of a single unit the number alone will do
  json::array choices{text_like(std::string(number) + " *(?:" + units + ")" + (bare ? "?" : ""))};
  if (bare) choices.push_back({{"type", "number"}, {"minimum", 0}, {"maximum", shape.max}});
  const json::object alone = any_of(choices);
  json::array ends{{{"type", "number"}, {"minimum", 0}, {"maximum", shape.max}}, text_like(number)};
  const json::object range = {{"type", "array"}, {"items", any_of(ends)}, {"minItems", 2}, {"maxItems", 2}};
  choices.push_back(
      {{"type", "object"},
       {"properties", {{"value", alone}, {"range", range}, {"source", one_line()}, {"fitted", one_line()}}},
       {"required", json::array{"value"}},
       {"additionalProperties", false}});
  return any_of(std::move(choices));
}

json::object list_of(const Shape& shape) {
  return {
      {"type", "array"}, {"items", schema_of(shape.item.front())}, {"minItems", shape.min}, {"maxItems", shape.max}};
}

// Of an item that is a list itself, or a map with keys of its own, one alone cannot be told from many.
bool may_stand_alone(Shape::Kind item) {
  switch (item) {
    case Shape::Kind::List:
    case Shape::Kind::OneOrMany:
    case Shape::Kind::Object:
      return false;
    default:
      return true;
  }
}

json::object members(const Shape& shape) {
  json::object properties;
  json::array required;
  for (const Field& field : shape.fields) {
    json::object value = schema_of(field.shape);
    if (!field.help.empty()) value["description"] = field.help;
    properties[field.name] = std::move(value);
    if (field.required) required.emplace_back(field.name);
  }
  json::object made{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", shape.open}};
  if (!required.empty()) made["required"] = std::move(required);
  return made;
}

json::object schema_of(const Shape& shape) {
  using Kind = Shape::Kind;
  switch (shape.kind) {
    case Kind::Text:
    case Kind::Value:
      return one_line();
    case Kind::Pattern:
      return pattern(shape);
    case Kind::Word:
      return words(shape);
    case Kind::Integer:
      return any_of({whole(shape), text_like("-?[0-9]+")});
    case Kind::Bytes:
      return any_of({whole(shape), text_like(std::string(number) + " *(?:B|KiB|MiB|GiB)?")});
    case Kind::Duration:
      return text_like(std::string(number) + " *(?:ms|s|min|h)");
    case Kind::Clock:
      return text_like(std::string(number) + " *(?:GHz|MHz)");
    case Kind::Quantity:
      return quantity(shape);
    case Kind::Cpus:
      return any_of({{{"type", "integer"}, {"minimum", 0}}, text_like("(?:[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*)?")});
    case Kind::Switch:
      return {{"enum", json::array{true, false, "true", "false"}}};
    case Kind::List:
      return list_of(shape);
    case Kind::OneOrMany:
      return may_stand_alone(shape.item.front().kind) ? any_of({schema_of(shape.item.front()), list_of(shape)})
                                                      : list_of(shape);
    case Kind::Map:
      return {{"type", "object"},
              {"propertyNames", {{"pattern", "^(?:" + shape.pattern + ")$"}, {"maxLength", 256}}},
              {"additionalProperties", schema_of(shape.item.front())}};
    case Kind::Object:
      return members(shape);
    case Kind::Either:
      return {{"if", of_type("object")}, {"then", schema_of(shape.item[1])}, {"else", schema_of(shape.item[0])}};
    case Kind::Any:
      return {};
  }
  return {};
}

void pretty(std::string& out, const json::value& value, std::size_t indent) {
  const std::string inner(indent + 2, ' ');
  if (value.is_object() && !value.get_object().empty()) {
    const char* separator = "{\n";
    for (const auto& [key, item] : value.get_object()) {
      out += separator + inner + json::serialize(json::string(key)) + ": ";
      pretty(out, item, indent + 2);
      separator = ",\n";
    }
    out += "\n" + std::string(indent, ' ') + "}";
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::string json_schema(DefinitionKind kind) {
  json::object schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                      {"title", "rig: definition of a " + to_string(kind)}};
  for (auto& [key, value] : schema_of(config::shape_of(kind))) schema[key] = value;
  std::string text;
  pretty(text, schema, 0);
  return text + "\n";
}

}  // namespace rig
