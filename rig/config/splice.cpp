// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/splice.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/config/scalar.h"

namespace rig::config {
namespace {

using Kind = yaml::Node::Kind;

// "a.b.c" in "a" and "b.c".
std::pair<std::string, std::string_view> first_step(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return {std::string(path), ""};
  return {std::string(path.substr(0, dot)), path.substr(dot + 1)};
}

void add_paths(const Shape& shape, const std::string& path, std::vector<std::string>& into) {
  for (const auto& field : shape.fields) {
    const std::string here = join(path, field.name);
    into.push_back(here);
    add_paths(field.shape, here, into);
  }
}

// The path that was meant: the only one that ends like this, or the nearest.
std::string meant(const Shape& root, const std::string& path) {
  std::vector<std::string> known, alike;
  add_paths(root, "", known);
  std::copy_if(known.begin(), known.end(), std::back_inserter(alike),
               [&](const std::string& candidate) { return candidate.ends_with("." + path); });
  return alike.size() == 1 ? fmt::format("did you mean '{}'?", alike.front()) : did_you_mean(path, known);
}

}  // namespace

const Shape* shape_at(const Shape& root, const std::string& path, const yaml::Mark& at, const std::string& where,
                      Faults& faults) {
  const Shape* shape = &root;
  std::string done;
  for (std::string_view rest = path; !rest.empty();) {
    const auto [step, next] = first_step(rest);
    if (shape->kind != Shape::Kind::Object) {
      faults.add(at, where, fmt::format("{} has no parts that could be set", done), allowed(*shape),
                 fmt::format("set {} as a whole", done));
      return nullptr;
    }
    const auto field =
        std::find_if(shape->fields.begin(), shape->fields.end(), [&](const Field& f) { return f.name == step; });
    if (field == shape->fields.end()) {
      std::vector<std::string> names;
      for (const auto& known : shape->fields) names.push_back(known.name);
      faults.add(at, where, done.empty() ? "a topology has no such path" : fmt::format("{} has no '{}'", done, step),
                 one_of(names), meant(root, path));
      return nullptr;
    }
    shape = &field->shape;
    done = join(done, step);
    rest = next;
  }
  return shape;
}

const yaml::Node* node_at(const yaml::Node& root, std::string_view path) {
  const yaml::Node* node = &root;
  while (node != nullptr && !path.empty()) {
    const auto [step, rest] = first_step(path);
    node = child(node, step);
    path = rest;
  }
  return node;
}

yaml::NodePtr with_origin(const yaml::Node& value, const std::shared_ptr<const yaml::Origin>& origin) {
  auto copy = std::make_shared<yaml::Node>(value);
  copy->mark.origin = origin;
  for (auto& item : copy->items) item = with_origin(*item, origin);
  for (auto& member : copy->members) {
    member.mark.origin = origin;
    if (member.value) member.value = with_origin(*member.value, origin);
  }
  return copy;
}

yaml::NodePtr spliced(const yaml::Node& root, std::string_view path, const yaml::NodePtr& value) {
  if (path.empty()) return value;
  const auto [step, rest] = first_step(path);
  auto copy = std::make_shared<yaml::Node>(root);
  copy->kind = Kind::Map;
  const auto found =
      std::find_if(copy->members.begin(), copy->members.end(), [&](const auto& member) { return member.key == step; });
  if (value->kind == Kind::Null && (rest.empty() || found == copy->members.end())) {
    if (found != copy->members.end()) copy->members.erase(found);
    return copy;
  }
  if (found == copy->members.end()) {
    yaml::Node empty;
    empty.kind = Kind::Map;
    empty.mark = value->mark;
    copy->members.push_back({step, value->mark, spliced(empty, rest, value)});
  } else {
    found->value = spliced(*found->value, rest, value);
    if (rest.empty()) found->mark = value->mark;
  }
  return copy;
}

std::string flow_text(const yaml::Node& node) {
  std::string text;
  switch (node.kind) {
    case Kind::Null:
      return "none";
    case Kind::Scalar:
      return node.text;
    case Kind::List:
      for (const auto& item : node.items) text += (text.empty() ? "" : ", ") + flow_text(*item);
      return "[" + text + "]";
    case Kind::Map:
      for (const auto& member : node.members)
        text += (text.empty() ? "" : ", ") + member.key + ": " + flow_text(*member.value);
      return "{" + text + "}";
  }
  return text;
}

}  // namespace rig::config
