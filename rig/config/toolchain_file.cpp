// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <map>

#include "rig/base/paths.h"
#include "rig/config/definition_file.h"
#include "rig/config/kernel_source.h"
#include "rig/config/scalar.h"

namespace rig::config {
namespace {

namespace fs = std::filesystem;

std::vector<Field> tool_fields() {
  const Shape program = pattern("[A-Za-z0-9/~.][!-~]*", "a program's name, as gcc-11, or its path");
  const Shape before = pattern("[A-Za-z0-9/~.][!-~]*", "what stands before a program's name, as x86_64-linux-gnu-");
  return {
      {"compiler", false, program, "the compiler (gcc)"},
      {"prefix", false, before, "before gcc and before binutils, where those are not named"},
      {"binutils", false, before, "before ld, as, objcopy and their like (nothing)"},
      {"make", false, program, "make (make)"},
      {"host_compiler", false, program, "for what runs during the build (gcc)"},
      {"directory", false, text(), "an unpacked toolchain: its usr/bin, bin and their libraries"},
  };
}

// A program that is written as a path is meant from the definition.
std::string program_at(const yaml::Node* map, const char* key, const fs::path& file, const std::string& otherwise) {
  const std::string written = text_at(map, key, otherwise);
  const bool path = written.find('/') != std::string::npos || written.starts_with("~");
  if (!path) return written;
  const std::string resolved = resolve_path(written, file).string();
  return written.ends_with('/') && !resolved.ends_with('/') ? resolved + "/" : resolved;
}

// In a few words what was written, for reports and the ids of cells.
std::string words_of(const yaml::Node& map) {
  std::string words;
  for (const auto& member : map.members) {
    if (member.value->kind != yaml::Node::Kind::Scalar) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", member.key, member.value->text);
  }
  return words;
}

void read_tools(const yaml::Node* map, const fs::path& file, const std::string& where, ToolchainSpec& spec,
                Faults& faults) {
  const std::string prefix = program_at(map, "prefix", file, "");
  spec.compiler = program_at(map, "compiler", file, prefix + "gcc");
  spec.binutils = program_at(map, "binutils", file, prefix);
  spec.make = program_at(map, "make", file, "make");
  spec.host_compiler = program_at(map, "host_compiler", file, "gcc");
  const yaml::Node* directory = child(map, "directory");
  if (directory == nullptr || directory->text.empty()) return;
  spec.directory = resolve_path(directory->text, file);
  std::error_code error;
  if (!fs::is_directory(spec.directory, error)) {
    faults.add(directory->mark, join(where, "directory"),
               fmt::format("there is no directory {}", spec.directory.string()), "",
               "paths are relative to the definition's folder");
  }
}

// Definitions in toolchains/ beside the kernel's folder, or in it, then rig's own.
std::map<std::string, fs::path> toolchains_for(const fs::path& file) {
  std::map<std::string, fs::path> found;
  const fs::path folder = fs::absolute(file).parent_path();
  for (const auto& above : {folder.parent_path(), folder, data_directory()}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(above / "toolchains", error)) {
      if (entry.path().extension() == ".yaml") {
        found.try_emplace(entry.path().stem().string(), entry.path().lexically_normal());
      }
    }
  }
  return found;
}

}  // namespace

const Shape& toolchain_value_shape() {
  static const Shape shape = either(
      pattern("[A-Za-z0-9][A-Za-z0-9._+-]*", "a compiler's program name, as gcc-11, or a definition's in toolchains/"),
      object(tool_fields()));
  return shape;
}

const Shape& toolchain_shape() {
  static const Shape shape = [] {
    std::vector<Field> fields = {
        {"toolchain", true, name(), "its name: the file's, without .yaml"},
        {"title", false, text(), "what it is, for reports"},
        {"suite", false, pattern("[a-z][a-z0-9-]*", "a Debian suite, as bullseye"), "where the packages come from"},
        {"packages", false, list(pattern("[a-z0-9][a-z0-9.+-]+", "a Debian package's name"), 1),
         "unpacked with what they depend on, but for the C library: this host's serves"},
    };
    for (auto& field : tool_fields()) fields.push_back(std::move(field));
    return object(std::move(fields));
  }();
  return shape;
}

std::optional<ToolchainSpec> read_toolchain(const fs::path& file, std::vector<Diagnostic>& all) {
  Document document = open_definition(file, DefinitionKind::Toolchain, all);
  const yaml::Node* root = document.root.get();
  if (root == nullptr) return std::nullopt;
  ToolchainSpec spec;
  spec.name = text_at(root, "toolchain");
  spec.title = text_at(root, "title", spec.name);
  spec.file = fs::absolute(file).lexically_normal();
  spec.suite = text_at(root, "suite");
  spec.packages = texts_at(root, "packages");
  read_tools(root, file, "", spec, document.faults);
  const bool packages = root->find("packages") != nullptr;
  if (packages != (root->find("suite") != nullptr)) {
    document.faults.add(root->mark, packages ? "suite" : "packages", "is missing",
                        packages ? "a Debian suite, as bullseye" : "names of Debian packages",
                        "packages and suite belong together");
  }
  if (packages && root->find("directory") != nullptr) {
    document.faults.add(root->find("directory")->mark, "directory", "means nothing beside packages", "", "remove it");
  }
  return document.sound() ? std::optional(std::move(spec)) : std::nullopt;
}

void read_toolchain_value(const yaml::Node* node, const fs::path& file, KernelSpec& spec, std::vector<Diagnostic>& all,
                          Faults& faults) {
  if (node == nullptr) return;
  if (node->kind == yaml::Node::Kind::Map) {
    spec.toolchain.name = words_of(*node);
    read_tools(node, file, "toolchain", spec.toolchain, faults);
    return;
  }
  if (node->kind != yaml::Node::Kind::Scalar || node->text.empty()) return;
  const auto known = toolchains_for(file);
  if (const auto found = known.find(node->text); found != known.end()) {
    const std::size_t before = all.size();
    if (auto read = read_toolchain(found->second, all)) spec.toolchain = std::move(*read);
    faults.count_also(all.size() - before);
    return;
  }
  spec.toolchain.name = spec.toolchain.compiler = node->text;
}

}  // namespace rig::config
