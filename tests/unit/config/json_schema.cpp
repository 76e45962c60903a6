// SPDX-License-Identifier: GPL-2.0-or-later
// The schemas against the loader's shapes, by a validator that is not rig's.
#include "rig/config/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "rig/base/base.h"
#include "rig/config/definition_file.h"
#include "rig/config/yaml_tree.h"

using namespace rig;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

// What YAML 1.2's core schema makes of a value.
json::value core(const yaml::Node& node) {
  using Kind = yaml::Node::Kind;
  if (node.kind == Kind::List) {
    json::array items;
    for (const auto& item : node.items) items.push_back(core(*item));
    return items;
  }
  if (node.kind == Kind::Map) {
    json::object members;
    for (const auto& member : node.members) members[member.key] = core(*member.value);
    return members;
  }
  if (node.kind == Kind::Null) return nullptr;
  if (node.quoted) return json::string(node.text);
  if (node.text == "true" || node.text == "false") return node.text == "true";
  if (const auto whole = parse_integer(node.text)) return *whole;
  if (const auto number = parse_number(node.text)) return *number;
  return json::string(node.text);
}

// JSON with numbers as people write them: the library's have exponents.
std::string text_of(const json::value& value) {
  std::string out;
  if (value.is_array()) {
    for (const auto& item : value.get_array()) out += (out.empty() ? "" : ", ") + text_of(item);
    return "[" + out + "]";
  }
  if (value.is_object()) {
    for (const auto& [key, item] : value.get_object())
      out += (out.empty() ? "" : ", ") + json::serialize(json::string(key)) + ": " + text_of(item);
    return "{" + out + "}";
  }
  return value.is_double() ? fmt::format("{}", value.get_double()) : json::serialize(value);
}

// Every place in a document, root first.
void places(json::value& value, std::vector<json::value*>& found) {
  found.push_back(&value);
  if (value.is_array()) {
    for (auto& item : value.get_array()) places(item, found);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) places(member.value(), found);
  }
}

json::value changed(json::value document, std::mt19937_64& generator) {
  static const std::vector<json::value> others = {nullptr,
                                                  true,
                                                  -1,
                                                  0,
                                                  3,
                                                  1.5,
                                                  4000000000,
                                                  "x",
                                                  "",
                                                  "4 MiB",
                                                  "10 ns",
                                                  "0-1,4",
                                                  "3",
                                                  "5 s",
                                                  "-3",
                                                  "a\nb",
                                                  "2.4 GHz",
                                                  "2 %",
                                                  json::array{},
                                                  json::array{"x"},
                                                  json::array{1, 2},
                                                  json::object{},
                                                  json::object{{"value", "3 ns"}},
                                                  json::object{{"value", 3}, {"range", {1, 4}}},
                                                  "same-cpu",
                                                  json::object{{"zzz", 1}}};
  std::vector<json::value*> found;
  places(document, found);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(generator() % bound); };
  json::value& place = *found[below(found.size())];
  if (place.is_object() && below(2) == 0 && !place.get_object().empty()) {
    auto& members = place.get_object();
    const std::string key = (members.begin() + static_cast<std::ptrdiff_t>(below(members.size())))->key();
    if (below(2) == 0) members[key + "s"] = members[key];
    members.erase(key);
  } else {
    place = others[below(others.size())];
  }
  return document;
}

struct Case {
  DefinitionKind kind;
  std::string document;  // JSON, which is YAML
  std::vector<Diagnostic> faults;
};

std::vector<Diagnostic> shape_faults(DefinitionKind kind, const std::string& text) {
  std::vector<Diagnostic> all;
  const yaml::NodePtr root = yaml::parse(text, "case.yaml", all);
  if (!root) return all;
  config::Faults faults("case.yaml", all);
  config::check_shape(config::shape_of(kind), *root, "", faults);
  return all;
}

// Bounds of numbers that are text are the loader's alone.
bool only_bounds(const std::vector<Diagnostic>& faults) {
  return std::all_of(faults.begin(), faults.end(), [](const Diagnostic& fault) {
    return fault.message.ends_with("is too small") || fault.message.ends_with("is too large");
  });
}

}  // namespace

TEST_CASE("The schemas accept what the loader's shapes accept, and refuse what they refuse") {
  const std::vector<std::pair<DefinitionKind, const char*>> kinds = {{DefinitionKind::Kernel, "kernels"},
                                                                     {DefinitionKind::Toolchain, "toolchains"},
                                                                     {DefinitionKind::Topology, "topologies"},
                                                                     {DefinitionKind::Image, "images"},
                                                                     {DefinitionKind::Job, "jobs"},
                                                                     {DefinitionKind::Matrix, "jobs/matrices"},
                                                                     {DefinitionKind::Reference, "jobs/references"}};
  const TempDir directory(fs::temp_directory_path(), "rig-schema");
  std::vector<Case> cases;
  std::mt19937_64 generator(7);
  for (const auto& [kind, folder] : kinds) {
    write_file(directory.path() / (to_string(kind) + ".schema.json"), json_schema(kind));
    for (const auto& entry : fs::directory_iterator(fs::path(RIG_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      std::vector<Diagnostic> none;
      const yaml::NodePtr root = yaml::load(entry.path(), none);
      REQUIRE(root);
      const json::value document = core(*root);
      const std::string good = text_of(document);
      cases.push_back({kind, good, shape_faults(kind, good)});
      INFO(entry.path());
      CHECK(cases.back().faults.empty());
      for (int i = 0; i < 15; ++i) {
        std::string bad = text_of(changed(document, generator));
        auto faults = shape_faults(kind, bad);
        cases.push_back({kind, std::move(bad), std::move(faults)});
      }
    }
  }
  std::string lines;
  for (const auto& one : cases)
    lines += fmt::format("{{\"kind\": \"{}\", \"doc\": {}}}\n", to_string(one.kind), one.document);
  write_file(directory.path() / "cases.jsonl", lines);
  const auto said = run(
      {.argv = {"python3", std::string(RIG_SOURCE_DIR) + "/tests/unit/config/validate.py", directory.path().string()}});
  INFO(said.err);
  REQUIRE(said.exit_code == 0);
  std::size_t at = 0, refused = 0;
  for (const auto& one : cases) {
    REQUIRE(at < said.out.size());
    const bool valid = said.out[at] == '1';
    at += 2;
    refused += !valid;
    INFO(to_string(one.kind) << ": " << one.document.substr(0, 2000) << "\n" << render(one.faults));
    if (one.faults.empty()) CHECK(valid);
    if (!one.faults.empty() && !only_bounds(one.faults)) CHECK_FALSE(valid);
  }
  CHECK(refused > cases.size() / 4);  // the changes were changes
}

TEST_CASE("A schema tells what a key means, in the words of the loader's table") {
  const json::value schema = json::parse(json_schema(DefinitionKind::Matrix));
  CHECK(schema.at_pointer("/properties/baseline/description") ==
        "the kernel that the others are compared with (the first)");
  CHECK(schema.at("required").as_array().size() == 4);
  CHECK(schema.at("additionalProperties") == false);
}
