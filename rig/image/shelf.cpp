// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/image/shelf.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/base/base.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

// Debian's loader searches these without a cache file; packages of merged-/usr suites use the latter.
constexpr const char* library_directories[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};

std::string guest_path(const fs::path& root, const fs::path& file) {
  return "/" + file.lexically_relative(root).string();
}

}  // namespace

std::vector<std::string> UnpackedPackage::files(const std::string& path) const {
  const auto start = at(path);
  const auto status = fs::symlink_status(start);
  if (fs::is_regular_file(status) || fs::is_symlink(status)) return {path};
  std::vector<std::string> found;
  if (!fs::is_directory(status)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(start)) {
    if (!entry.is_directory() || entry.is_symlink()) found.push_back(guest_path(root_, entry.path()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool UnpackedPackage::is_link(const std::string& path) const { return fs::is_symlink(fs::symlink_status(at(path))); }

std::string UnpackedPackage::link_target(const std::string& path) const {
  // unpack_deb made the target relative and proved that it stays inside
  return guest_path(root_, (at(path).parent_path() / fs::read_symlink(at(path))).lexically_normal());
}

std::string UnpackedPackage::content(const std::string& path) const {
  std::error_code none;
  const auto real = fs::canonical(at(path), none);
  if (none || !guest_path(root_, real).starts_with("/") || guest_path(root_, real).starts_with("/..")) {
    throw InputError(fmt::format("package {}: '{}' is a link to nothing inside the package", name_, path));
  }
  return read_file(real);
}

bool UnpackedPackage::is_executable(const std::string& path) const {
  return (fs::status(at(path)).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

std::optional<std::string> UnpackedPackage::library(const std::string& name) const {
  for (const char* directory : library_directories) {
    const auto path = std::string(directory) + "/" + name;
    if (fs::is_regular_file(at(path))) return path;
  }
  return {};
}

std::string UnpackedPackage::nearest_file(const std::string& path) const {
  const auto all = files("/");
  auto near = nearest(path, all);
  if (!near.empty()) return near;
  const auto same_name = std::find_if(all.begin(), all.end(), [&](const std::string& file) {
    return fs::path(file).filename() == fs::path(path).filename();
  });
  return same_name == all.end() ? std::string{} : *same_name;
}

const UnpackedPackage& Shelf::open(const DebianPackage& package) {
  const auto known = open_.find(package.sha256);
  if (known != open_.end()) return known->second;
  const auto deb = archive_.fetch(package, stop_);
  const auto root = fs::canonical(work_) / package.sha256;
  unpack_deb(deb, root, {}, stop_);
  return open_.emplace(package.sha256, UnpackedPackage(root, package.name)).first->second;
}

}  // namespace rig
