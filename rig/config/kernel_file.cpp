// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "rig/base/paths.h"
#include "rig/base/units.h"
#include "rig/config/definition_file.h"
#include "rig/config/kernel_source.h"
#include "rig/config/scalar.h"

namespace rig::config {
namespace {

namespace fs = std::filesystem;

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
  static const Shape shape = object({
      {"kernel", true, name(), "its name: the file's, without .yaml"},
      {"title", false, text(), "what it is, for reports"},
      {"source", true, source_shape(), "where it comes from"},
      {"version", false, pattern("\\d+\\.\\d+(\\.\\d+)?", "a version of Linux, as 2.6.22"),
       "where the source's name does not say it and it matters before the build (for the choice of the image)"},
      {"patches", false, list(patch_shape()), "files, relative to this one, or maps of url and sha256; in this order"},
      {"config", false,
       object({
           {"fragments", false, list(name()), "files of fragments/ without .config; later ones win"},
           {"set", false, map("CONFIG_[A-Za-z0-9_]+", "a kernel option, as CONFIG_SMP", value()), "single options"},
       }),
       "its configuration, on top of allnoconfig"},
      {"toolchain", false, toolchain_value_shape(), "what it is compiled with (gcc)"},
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
  spec.boot_args = texts_at(root, "boot_args");
  read_source(child(root, "source"), file, spec, document.faults);
  spec.version = child(root, "version") != nullptr ? parse_version(text_at(root, "version")) : version_of(spec);
  read_patches(root, file, spec, document.faults);
  read_config(child(root, "config"), file, spec, document.faults);
  read_toolchain_value(child(root, "toolchain"), file, spec, all, document.faults);
  if (document.sound() && is_prebuilt(spec)) {
    for (const char* key : {"patches", "config", "toolchain"}) {
      if (const yaml::Member* member = root->find(key)) {
        document.faults.add(member->mark, key, "means nothing for a prebuilt kernel, which is taken as it is", "",
                            "remove it, or build from source with debian:, git:, tarball: or path:");
      }
    }
  }
  return document.sound() ? std::optional(std::move(spec)) : std::nullopt;
}

}  // namespace rig::config
