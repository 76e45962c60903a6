// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "rig/base/paths.h"
#include "rig/base/units.h"
#include "rig/config/definition_file.h"
#include "rig/config/scalar.h"

namespace rig::config {
namespace {

namespace fs = std::filesystem;

// A path as written in a definition: "~" is the home directory, the rest is relative to the file.
fs::path resolve(const std::string& written, const fs::path& file) {
  fs::path path = written;
  if (written == "~" || written.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    if (home != nullptr) path = written.size() > 2 ? fs::path(home) / written.substr(2) : fs::path(home);
  }
  return (path.is_absolute() ? path : fs::absolute(file.parent_path() / path)).lexically_normal();
}

enum class Wanted { File, Directory };

void want(Wanted wanted, const fs::path& path, const yaml::Node& node, const std::string& where, Faults& faults) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) {
    faults.add(node.mark, where, fmt::format("there is no {}", path.string()), "",
               "paths are relative to the definition's folder");
  } else if (wanted == Wanted::File && !fs::is_regular_file(status)) {
    faults.add(node.mark, where, fmt::format("{} is not a file", path.string()));
  } else if (wanted == Wanted::Directory && !fs::is_directory(status)) {
    faults.add(node.mark, where, fmt::format("{} is not a directory", path.string()));
  }
}

// The fragments that a definition may name: those in fragments/ beside it, then rig's own.
std::map<std::string, fs::path> fragments_for(const fs::path& file) {
  std::map<std::string, fs::path> found;
  for (const auto& kernels : {fs::absolute(file).parent_path(), data_directory() / "kernels"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(kernels / "fragments", error)) {
      const fs::path& fragment = entry.path();
      if (fragment.extension() == ".config") found.try_emplace(fragment.stem().string(), fragment.lexically_normal());
    }
  }
  return found;
}

// A value as Kconfig writes it: y, n, m, a number, or a text in quotes. Nothing where YAML's other
// words for true and false were meant.
std::optional<std::string> kconfig_value(const yaml::Node& node) {
  static const std::vector<std::string> meant_as_switch = {"yes", "no", "true", "false", "on", "off"};
  const std::string& text = node.text;
  if (text == "y" || text == "n" || text == "m") return text;
  if (!node.quoted) {
    if (std::find(meant_as_switch.begin(), meant_as_switch.end(), text) != meant_as_switch.end()) return std::nullopt;
    const bool hex = text.size() > 2 && text.starts_with("0x") &&
                     text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
    if (hex || parse_integer(text)) return text;
  }
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

void read_source(const yaml::Node* source, const fs::path& file, KernelSpec& spec, Faults& faults) {
  static const std::vector<std::string> kinds = {"debian", "path", "bzimage", "package"};
  if (source == nullptr || source->kind != yaml::Node::Kind::Map) return;
  std::vector<std::string> given;
  for (const auto& member : source->members) {
    if (std::find(kinds.begin(), kinds.end(), member.key) != kinds.end()) given.push_back(member.key);
  }
  if (given.size() != 1) {
    faults.add(source->mark, "source",
               given.empty() ? "says nothing of where the kernel comes from"
                             : fmt::format("{} exclude each other", fmt::join(given, " and ")),
               "exactly one of " + one_of(kinds));
    return;
  }
  const std::string& kind = given.front();
  const std::string where = "source." + kind;
  const yaml::Node& node = *child(source, kind);
  const bool from_suite = kind == "debian" || kind == "package";
  if (from_suite != (child(source, "suite") != nullptr)) {
    const yaml::Member* suite = source->find("suite");
    faults.add(suite != nullptr ? suite->mark : source->mark, "source.suite",
               from_suite ? "is missing" : fmt::format("means nothing beside {}", kind),
               from_suite ? "a Debian suite, as bookworm" : "", from_suite ? "" : "remove it");
  }
  if (kind == "debian") spec.source = DebianSource{node.text, text_at(source, "suite")};
  if (kind == "package") spec.source = PackageSource{node.text, text_at(source, "suite")};
  if (kind == "path" && !node.text.empty()) {
    spec.source = PathSource{resolve(node.text, file)};
    want(Wanted::Directory, resolve(node.text, file), node, where, faults);
  }
  if (kind == "bzimage" && !node.text.empty()) {
    spec.source = BzImageSource{resolve(node.text, file)};
    want(Wanted::File, resolve(node.text, file), node, where, faults);
  }
}

void read_config(const yaml::Node* config, const fs::path& file, KernelSpec& spec, Faults& faults) {
  const auto known = fragments_for(file);
  std::vector<std::string> names;
  for (const auto& [name, fragment] : known) names.push_back(name);
  const auto fragments = items_at(config, "fragments");
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    const yaml::Node& node = *fragments[i];
    if (node.kind != yaml::Node::Kind::Scalar) continue;
    const auto fragment = known.find(node.text);
    if (fragment != known.end()) {
      spec.fragments.push_back(fragment->second);
      continue;
    }
    const fs::path beside = fs::absolute(file).parent_path() / "fragments";
    faults.add(node.mark, fmt::format("config.fragments[{}]", i),
               fmt::format("there is no fragment '{}' in {}, nor among rig's own", node.text,
                           beside.lexically_normal().string()),
               one_of(names), did_you_mean(node.text, names));
  }
  const yaml::Node* set = child(config, "set");
  if (set == nullptr) return;
  for (const auto& member : set->members) {
    if (member.value->kind != yaml::Node::Kind::Scalar) continue;
    const auto value = kconfig_value(*member.value);
    if (value) {
      spec.set[member.key] = *value;
    } else {
      faults.add(member.value->mark, join("config.set", member.key),
                 fmt::format("'{}' is no value of a kernel option", member.value->text), "y, n, m, a number or a text",
                 "write y or n; a text that reads so goes in quotes");
    }
  }
}

}  // namespace

const Shape& kernel_shape() {
  static const Shape package = pattern("[a-z0-9][a-z0-9.+-]+", "a Debian package's name");
  static const Shape shape = object({
      {"kernel", true, name(), "its name: the file's, without .yaml"},
      {"title", false, text(), "what it is, for reports"},
      {"source", true,
       object({
           {"debian", false, package, "a linux-source package, as linux-source-6.1"},
           {"package", false, package, "a prebuilt linux-image package, taken as it is"},
           {"suite", false, pattern("[a-z][a-z0-9-]*", "a Debian suite, as bookworm"), "with debian and package"},
           {"path", false, text(), "a kernel tree on this host"},
           {"bzimage", false, text(), "a built kernel on this host"},
       }),
       "where it comes from"},
      {"patches", false, list(text()), "applied in this order; relative to the file"},
      {"config", false,
       object({
           {"fragments", false, list(name()), "files of fragments/ without .config; later ones win"},
           {"set", false, map("CONFIG_[A-Za-z0-9_]+", "a kernel option, as CONFIG_SMP", value()), "single options"},
       }),
       "its configuration, on top of allnoconfig"},
      {"toolchain", false, pattern("[A-Za-z0-9][A-Za-z0-9._+-]*", "a compiler's program name, as gcc-11"),
       "the compiler (gcc)"},
      {"boot_args", false, list(pattern("[!-~]+", "one word of a kernel command line")), "always on its command line"},
  });
  return shape;
}

std::optional<KernelSpec> read_kernel(const fs::path& file, std::vector<Diagnostic>& all) {
  Document document = open_definition(file, DefinitionKind::Kernel, all);
  const yaml::Node* root = document.root.get();
  if (root == nullptr) return std::nullopt;
  KernelSpec spec;
  spec.name = text_at(root, "kernel");
  spec.title = text_at(root, "title", spec.name);
  spec.toolchain = text_at(root, "toolchain", "gcc");
  spec.boot_args = texts_at(root, "boot_args");
  read_source(child(root, "source"), file, spec, document.faults);
  const auto patches = items_at(root, "patches");
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (patches[i]->kind != yaml::Node::Kind::Scalar || patches[i]->text.empty()) continue;
    spec.patches.push_back(resolve(patches[i]->text, file));
    want(Wanted::File, spec.patches.back(), *patches[i], fmt::format("patches[{}]", i), document.faults);
  }
  read_config(child(root, "config"), file, spec, document.faults);
  if (document.sound() && is_prebuilt(spec)) {
    for (const char* key : {"patches", "config", "toolchain"}) {
      if (const yaml::Member* member = root->find(key)) {
        document.faults.add(member->mark, key, "means nothing for a prebuilt kernel, which is taken as it is", "",
                            "remove it, or build from source with debian: or path:");
      }
    }
  }
  return document.sound() ? std::optional(std::move(spec)) : std::nullopt;
}

}  // namespace rig::config
