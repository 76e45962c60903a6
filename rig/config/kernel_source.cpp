// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "rig/config/scalar.h"

namespace rig::config {
namespace {

namespace fs = std::filesystem;

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

const Shape& checksum_shape() {
  static const Shape shape = pattern("[0-9a-f]{64}", "a SHA-256 checksum: 64 hexadecimal digits, in small letters");
  return shape;
}

const Shape& address_shape() {
  static const Shape shape = pattern("(https|file)://[!-~]+", "an address that begins with https:// or file://");
  return shape;
}

SourcePos place_of(const yaml::Node& node, const Faults& faults) {
  return {faults.file(), node.mark.line, node.mark.column};
}

GitSource read_git(const yaml::Node& node, const fs::path& file, Faults& faults) {
  GitSource source{text_at(&node, "url"), text_at(&node, "ref"), text_at(&node, "commit")};
  if (source.url.empty()) return source;
  const yaml::Node& url = *child(&node, "url");
  if (source.url.find("://") == std::string::npos) {
    source.url = resolve_path(source.url, file).string();
    want(Wanted::Directory, source.url, url, "source.git.url", faults);
  } else if (!source.url.starts_with("https://") && !source.url.starts_with("file://")) {
    faults.add(url.mark, "source.git.url", fmt::format("'{}' cannot be fetched from", source.url),
               "https://…, file://…, or a folder on this host");
  }
  return source;
}

TarballSource read_tarball(const yaml::Node& node, const fs::path& file, Faults& faults) {
  TarballSource source{.url = text_at(&node, "url"), .sha256 = text_at(&node, "sha256")};
  const yaml::Node* url = child(&node, "url");
  const yaml::Node* local = child(&node, "file");
  if ((url == nullptr) == (local == nullptr)) {
    faults.add(node.mark, "source.tarball",
               url == nullptr ? "says nothing of where it is" : "url and file exclude each other",
               "exactly one of url or file");
    return source;
  }
  source.pos = place_of(url != nullptr ? *url : *local, faults);
  if (local != nullptr && !local->text.empty()) {
    source.file = resolve_path(local->text, file);
    want(Wanted::File, source.file, *local, "source.tarball.file", faults);
  }
  return source;
}

}  // namespace

fs::path resolve_path(const std::string& written, const fs::path& file) {
  fs::path path = written;
  if (written == "~" || written.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    if (home != nullptr) path = written.size() > 2 ? fs::path(home) / written.substr(2) : fs::path(home);
  }
  return (path.is_absolute() ? path : fs::absolute(file.parent_path() / path)).lexically_normal();
}

const Shape& source_shape() {
  static const Shape package = pattern("[a-z0-9][a-z0-9.+-]+", "a Debian package's name");
  static const Shape shape = object({
      {"debian", false, package, "a linux-source package, as linux-source-6.1"},
      {"package", false, package, "a prebuilt linux-image package, taken as it is"},
      {"suite", false, pattern("[a-z][a-z0-9-]*", "a Debian suite, as bookworm"), "with debian and package"},
      {"path", false, text(), "a kernel tree on this host"},
      {"bzimage", false, text(), "a built kernel on this host"},
      {"git", false,
       object({
           {"url", true, text(), "https://…, file://…, or a repository on this host"},
           {"ref", true, pattern("[A-Za-z0-9][A-Za-z0-9._/+-]*", "a tag, a branch or a commit's id"),
            "a tag or a commit is asked for once, a branch is followed"},
           {"commit", false, pattern("[0-9a-f]{40}", "a commit's id, whole"), "what ref must be"},
       }),
       "a commit of a repository"},
      {"tarball", false,
       object({
           {"url", false, address_shape(), "where it is"},
           {"file", false, text(), "the same on this host"},
           {"sha256", false, checksum_shape(), "its checksum; rig computes it where it is missing"},
       }),
       "a release: .tar.xz, .tar.gz or .tar.zst"},
  });
  return shape;
}

Shape patch_shape() {
  return either(pattern(".+", "a file"),
                object({
                    {"url", true, address_shape(), "where it is"},
                    {"sha256", false, checksum_shape(), "its checksum; rig computes it where it is missing"},
                }));
}

void read_source(const yaml::Node* source, const fs::path& file, KernelSpec& spec, Faults& faults) {
  static const std::vector<std::string> kinds = {"debian", "path", "bzimage", "package", "git", "tarball"};
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
  spec.pos = place_of(node, faults);
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
    spec.source = PathSource{resolve_path(node.text, file)};
    want(Wanted::Directory, resolve_path(node.text, file), node, where, faults);
  }
  if (kind == "bzimage" && !node.text.empty()) {
    spec.source = BzImageSource{resolve_path(node.text, file)};
    want(Wanted::File, resolve_path(node.text, file), node, where, faults);
  }
  if (kind == "git") spec.source = read_git(node, file, faults);
  if (kind == "tarball") spec.source = read_tarball(node, file, faults);
}

std::optional<KernelVersion> version_of(const KernelSpec& spec) {
  constexpr std::size_t enough = 64 * 1024;
  const auto head_of = [](const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string head(enough, '\0');
    stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(stream.gcount()));
    return head;
  };
  if (const auto* tree = std::get_if<PathSource>(&spec.source))
    return makefile_version(head_of(tree->path / "Makefile"));
  if (const auto* built = std::get_if<BzImageSource>(&spec.source)) return bzimage_version(head_of(built->file));
  return named_version(spec);
}

void read_patches(const yaml::Node* root, const fs::path& file, KernelSpec& spec, Faults& faults) {
  const auto patches = items_at(root, "patches");
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const yaml::Node& node = *patches[i];
    const std::string where = fmt::format("patches[{}]", i);
    if (node.kind == yaml::Node::Kind::Map) {
      const yaml::Node* url = child(&node, "url");
      if (url != nullptr) spec.patches.emplace_back(url->text, text_at(&node, "sha256"), place_of(*url, faults));
    } else if (node.kind == yaml::Node::Kind::Scalar && !node.text.empty()) {
      spec.patches.emplace_back(resolve_path(node.text, file));
      want(Wanted::File, spec.patches.back().file, node, where, faults);
    }
  }
}

}  // namespace rig::config
