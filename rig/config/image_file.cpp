// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <set>

#include "rig/config/definition_file.h"
#include "rig/config/scalar.h"

namespace rig::config {
namespace {

// "/usr/bin/tbench": absolute, no empty, "." or ".." part.
constexpr const char* absolute_path = "(/(?!\\.{1,2}(/|$))[^/\\s]+)+";
// "dbench/child.c"
constexpr const char* source_path = "[a-z0-9][a-z0-9.+-]+(/(?!\\.{1,2}(/|$))[^/\\s]+)+";

}  // namespace

const Shape& image_shape() {
  static const Shape shape = object({
      {"image", true, name(), "its name: the file's, without .yaml"},
      {"suite", true, pattern("[a-z][a-z0-9-]*", "a Debian suite, as bookworm"), "where the packages come from"},
      {"least_kernel", false, pattern("\\d+\\.\\d+(\\.\\d+)?", "a version of Linux, as 3.2"),
       "the oldest kernel that its programs start on (any)"},
      {"packages", true,
       list(object({
                {"package", true, pattern("[a-z0-9][a-z0-9.+-]+", "a Debian package's name"), "its name"},
                {"component", false, word({"main", "contrib", "non-free", "non-free-firmware"}),
                 "of the archive (main)"},
                {"optional", false, on_off(), "left out, and noted, where it cannot be had (false)"},
                {"take", true, list(pattern(absolute_path, "an absolute path inside the package"), 1),
                 "the files wanted; their libraries come along"},
            }),
            1),
       "what is taken from which package"},
      {"compile", false,
       list(object({
           {"program", true, pattern(absolute_path, "an absolute path in the guest"), "where it stands"},
           {"files", true, list(pattern(source_path, "SOURCE/FILE, a file of a source package"), 1),
            "what it is compiled from: files of upstream's tarballs, as Debian carries them"},
           {"include", false, list(pattern(source_path, "SOURCE/DIRECTORY, of a source package")),
            "directories for headers (none)"},
           {"define", false, list(pattern("[A-Za-z_]\\w*(=[^\\n]+)?", "NAME or NAME=VALUE")),
            "macros, as a configure script would find them (none)"},
       })),
       "programs linked statically against musl, for kernels that Debian's C library refuses"},
  });
  return shape;
}

std::optional<ImageSpec> read_image(const std::filesystem::path& file, std::vector<Diagnostic>& all) {
  Document document = open_definition(file, DefinitionKind::Image, all);
  const yaml::Node* root = document.root.get();
  if (root == nullptr) return std::nullopt;
  ImageSpec spec;
  spec.name = text_at(root, "image");
  spec.suite = text_at(root, "suite");
  spec.least_kernel = parse_version(text_at(root, "least_kernel"));
  std::set<std::string> seen, taken;
  const auto packages = items_at(root, "packages");
  for (std::size_t i = 0; i < packages.size(); ++i) {
    const yaml::Node* node = packages[i].get();
    const std::string where = fmt::format("packages[{}]", i);
    ImagePackage package;
    package.package = text_at(node, "package");
    package.component = text_at(node, "component", "main");
    if (const yaml::Node* optional = child(node, "optional")) package.optional = as_switch(*optional).value_or(false);
    package.take = texts_at(node, "take");
    if (!package.package.empty() && !seen.insert(package.package).second) {
      document.faults.add(child(node, "package")->mark, where + ".package",
                          fmt::format("{} stands twice", package.package), "", "name all its files in one place");
    }
    const auto files = items_at(node, "take");
    for (std::size_t j = 0; j < files.size(); ++j) {
      if (files[j]->kind == yaml::Node::Kind::Scalar && !taken.insert(files[j]->text).second) {
        document.faults.add(files[j]->mark, fmt::format("{}.take[{}]", where, j),
                            fmt::format("{} is taken twice", files[j]->text), "", "remove one of them");
      }
    }
    spec.packages.push_back(std::move(package));
  }
  const auto programs = items_at(root, "compile");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const yaml::Node* node = programs[i].get();
    ImageProgram program{text_at(node, "program"), texts_at(node, "files"), texts_at(node, "include"),
                         texts_at(node, "define")};
    if (!program.path.empty() && !taken.insert(program.path).second) {
      document.faults.add(child(node, "program")->mark, fmt::format("compile[{}].program", i),
                          fmt::format("{} is taken from a package, or compiled twice", program.path), "",
                          "remove one of them");
    }
    spec.compile.push_back(std::move(program));
  }
  return document.sound() ? std::optional(std::move(spec)) : std::nullopt;
}

}  // namespace rig::config
