// SPDX-License-Identifier: GPL-2.0-or-later
#include <vector>

#include "rig/debian/unpack.h"

namespace rig {
namespace {

// Appends the components of path to parts; false where ".." climbs above the root.
bool walk(std::string_view path, std::vector<std::string_view>& parts) {
  while (!path.empty()) {
    const auto end = path.find('/');
    const auto part = path.substr(0, end);
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return false;
    } else {
      parts.pop_back();
    }
  }
  return true;
}

std::string join(const std::vector<std::string_view>& parts) {
  std::string path;
  for (auto part : parts) path.append(path.empty() ? "" : "/").append(part);
  return path;
}

// Whether a ".." follows a name. Where that name is a link, the text no longer says where it leads.
bool climbs_late(std::string_view path) {
  bool named = false;
  while (!path.empty()) {
    const auto end = path.find('/');
    const auto part = path.substr(0, end);
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
    if (part == "..") {
      if (named) return true;
    } else if (!part.empty() && part != ".") {
      named = true;
    }
  }
  return false;
}

bool climbs(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") ||
         path.find("/../") != std::string_view::npos;
}

}  // namespace

std::optional<std::string> member_path(std::string_view name) {
  if (name.empty() || name[0] == '/' || climbs(name) || name.find('\0') != std::string_view::npos) return {};
  std::vector<std::string_view> parts;
  walk(name, parts);
  return join(parts);
}

std::optional<std::string> link_destination(std::string_view link, std::string_view target, bool absolute_links) {
  if (target.empty() || target.find('\0') != std::string_view::npos || climbs_late(target)) return {};
  std::vector<std::string_view> parts;
  if (target[0] == '/') {
    if (!absolute_links) return {};
  } else {
    walk(link, parts);
    if (parts.empty()) return {};
    parts.pop_back();
  }
  if (!walk(target, parts)) return {};
  return join(parts);
}

}  // namespace rig
