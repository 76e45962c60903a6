// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/shape.h"

#include <fmt/format.h>

#include "rig/base/units.h"

namespace rig::config {
namespace {

Shape make(Shape::Kind kind, std::int64_t min = 0, std::int64_t max = 0) {
  Shape shape;
  shape.kind = kind;
  shape.min = min;
  shape.max = max;
  return shape;
}

}  // namespace

Shape text() { return make(Shape::Kind::Text); }

Shape pattern(std::string regex, std::string meaning) {
  Shape shape = make(Shape::Kind::Pattern);
  shape.pattern = std::move(regex);
  shape.meaning = std::move(meaning);
  return shape;
}

Shape name() {
  return pattern("[A-Za-z0-9][A-Za-z0-9._+-]{0,63}",
                 "a name of letters, digits, '.', '_', '+' and '-', at most 64 long");
}

Shape word(std::vector<std::string> words) {
  Shape shape = make(Shape::Kind::Word);
  shape.words = std::move(words);
  return shape;
}

Shape integer(std::int64_t min, std::int64_t max) { return make(Shape::Kind::Integer, min, max); }
Shape bytes(std::uint64_t min, std::uint64_t max) {
  return make(Shape::Kind::Bytes, static_cast<std::int64_t>(min), static_cast<std::int64_t>(max));
}
Shape duration(std::int64_t min_ms, std::int64_t max_ms) { return make(Shape::Kind::Duration, min_ms, max_ms); }
Shape clock() { return make(Shape::Kind::Clock, 1, 100000); }
Shape cpus() { return make(Shape::Kind::Cpus); }
Shape quantity(std::vector<std::string> units, std::int64_t max) {
  Shape shape = make(Shape::Kind::Quantity, 0, max);
  shape.words = std::move(units);
  return shape;
}
Shape on_off() { return make(Shape::Kind::Switch); }
Shape value() { return make(Shape::Kind::Value); }

Shape list(Shape item, std::int64_t min, std::int64_t max) {
  Shape shape = make(Shape::Kind::List, min, max);
  shape.item.push_back(std::move(item));
  return shape;
}

Shape one_or_many(Shape item, std::int64_t max) {
  Shape shape = make(Shape::Kind::OneOrMany, 1, max);
  shape.item.push_back(std::move(item));
  return shape;
}

Shape map(std::string key_pattern, std::string key_meaning, Shape item) {
  Shape shape = make(Shape::Kind::Map);
  shape.pattern = std::move(key_pattern);
  shape.meaning = std::move(key_meaning);
  shape.item.push_back(std::move(item));
  return shape;
}

Shape object(std::vector<Field> fields, bool open) {
  Shape shape = make(Shape::Kind::Object);
  shape.fields = std::move(fields);
  shape.open = open;
  return shape;
}

Shape text_or_object(std::string text_meaning, std::vector<Field> fields) {
  Shape shape = make(Shape::Kind::TextOrObject);
  shape.meaning = std::move(text_meaning);
  shape.fields = std::move(fields);
  return shape;
}

std::string allowed(const Shape& shape) {
  using Kind = Shape::Kind;
  const auto unsigned_of = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
  const auto span = [](std::int64_t ms) { return format_duration(std::chrono::milliseconds(ms)); };
  switch (shape.kind) {
    case Kind::Text:
      return "one line of text";
    case Kind::Pattern:
      return shape.meaning;
    case Kind::Word:
      return one_of(shape.words);
    case Kind::Integer:
      return fmt::format("a whole number, {} to {}", shape.min, shape.max);
    case Kind::Bytes:
      return fmt::format("a size as 512 KiB or 4 MiB, {} to {}", format_bytes(unsigned_of(shape.min)),
                         format_bytes(unsigned_of(shape.max)));
    case Kind::Duration:
      return fmt::format("a time as 250 ms, 60 s or 5 min, {} to {}", span(shape.min), span(shape.max));
    case Kind::Clock:
      return "a frequency as 2.4 GHz or 2400 MHz";
    case Kind::Quantity:
      return fmt::format("a number of {}, 0 to {}", one_of(shape.words), shape.max);
    case Kind::Cpus:
      return "CPU numbers as 0-1,4";
    case Kind::Switch:
      return "true or false";
    case Kind::Value:
      return "a word or a number";
    case Kind::List:
      return "a list of " + allowed(shape.item.front());
    case Kind::OneOrMany:
      return allowed(shape.item.front()) + ", or a list of such";
    case Kind::Map:
      return "a map, each key " + shape.meaning;
    case Kind::Object:
    case Kind::TextOrObject: {
      std::vector<std::string> names;
      for (const auto& field : shape.fields) names.push_back(field.name);
      const std::string map = "a map of " + one_of(names);
      return shape.kind == Kind::Object ? map : shape.meaning + ", or " + map;
    }
  }
  return "";
}

void Faults::add(const yaml::Mark& at, const std::string& path, const std::string& message,
                 const std::string& what_is_allowed, const std::string& suggestion) {
  all_.push_back({{file_, at.line, at.column}, path, message, what_is_allowed, suggestion});
  ++count_;
}

std::string join(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }
std::string join(const std::string& path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
}

}  // namespace rig::config
