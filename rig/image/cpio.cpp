// SPDX-License-Identifier: GPL-2.0-or-later
// The "newc" form that the kernel unpacks (Documentation/driver-api/early-userspace/buffer-format.rst).
#include <fmt/format.h>
#include <sys/stat.h>

#include <map>

#include "rig/base/error.h"
#include "rig/image/image.h"

namespace rig {
namespace {

constexpr std::string_view trailer = "TRAILER!!!";
constexpr std::size_t longest_path = 4095;     // the kernel refuses longer ones
constexpr std::uint64_t largest = 0xffffffff;  // sizes are eight hex digits

void pad(std::string& out, std::size_t to) { out.append((to - out.size() % to) % to, '\0'); }

void check_path(const std::string& path) {
  const auto fault = [&](const char* what) {
    throw InputError(
        fmt::format("image: path '{}': {}; paths are relative to the guest's root, as in bin/busybox", path, what));
  };
  if (path.empty()) fault("it is empty");
  if (path.size() > longest_path) fault("it is longer than 4095 bytes");
  if (path.find('\0') != std::string::npos) fault("it holds a NUL");
  if (path == trailer) fault("this name ends an archive");
  for (std::size_t start = 0; start <= path.size();) {
    const auto end = std::min(path.find('/', start), path.size());
    const auto part = std::string_view(path).substr(start, end - start);
    if (part.empty()) fault("it has an empty component");
    if (part == "." || part == "..") fault("it has a component '.' or '..'");
    start = end + 1;
  }
}

std::string parent(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

void append(std::string& out, std::size_t inode, unsigned mode, std::size_t links, const CpioEntry& entry) {
  out += fmt::format("070701{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}", inode,
                     mode, 0, 0, links, 0, entry.data.size(), 0, 0, entry.device_major, entry.device_minor,
                     entry.path.size() + 1, 0);
  out += entry.path;
  out += '\0';
  pad(out, 4);
  out += entry.data;
  pad(out, 4);
}

}  // namespace

std::string cpio_archive(std::vector<CpioEntry> entries) {
  std::map<std::string, CpioEntry> members;
  std::size_t bytes = 512;
  for (auto& entry : entries) {
    check_path(entry.path);
    if (entry.data.size() > largest) {
      throw InputError(fmt::format("image: '{}' is larger than 4 GiB, which a guest image cannot hold", entry.path));
    }
    const auto type = entry.mode & S_IFMT;
    if (!S_ISREG(type) && !S_ISLNK(type) && !entry.data.empty()) {
      throw InputError(fmt::format("image: '{}' has content, but is no file or link", entry.path));
    }
    auto path = entry.path;
    bytes += entry.data.size() + path.size() + 120;
    if (!members.emplace(path, std::move(entry)).second) {
      throw InputError(fmt::format("image: path '{}' stands twice", path));
    }
  }
  std::map<std::string, CpioEntry> parents;
  for (const auto& [path, entry] : members) {
    for (auto up = parent(path); !up.empty(); up = parent(up)) {
      const auto there = members.find(up);
      if (there == members.end()) {
        parents.emplace(up, CpioEntry{.path = up, .mode = S_IFDIR | 0755});
      } else if (!S_ISDIR(there->second.mode)) {
        throw InputError(fmt::format("image: '{}' lies below '{}', which is no directory", path, up));
      }
    }
  }
  members.merge(parents);
  std::map<std::string, std::size_t> subdirectories;
  for (const auto& [path, entry] : members) {
    if (S_ISDIR(entry.mode)) ++subdirectories[parent(path)];
  }
  std::string out;
  out.reserve(bytes);
  std::size_t inode = 0;
  for (const auto& [path, entry] : members) {
    const auto links = S_ISDIR(entry.mode) ? 2 + subdirectories[path] : 1;
    append(out, ++inode, entry.mode, links, entry);
  }
  append(out, 0, 0, 1, {.path = std::string(trailer)});
  pad(out, 512);
  return out;
}

}  // namespace rig
