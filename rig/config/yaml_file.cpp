// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/config/yaml_tree.h"

namespace rig::yaml {
namespace {

// Why this cannot be read as a file, empty where it can. Never opens it: a pipe would block.
std::string unreadable(const std::filesystem::path& file) {
  if (file.empty()) return "no file is named";
  if (file == "-") return "standard input is not read";
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) {
    return errno == ENOENT ? "there is no such file" : "cannot be read: " + std::generic_category().message(errno);
  }
  if (S_ISDIR(info.st_mode)) return "is a directory";
  if (!S_ISREG(info.st_mode)) return "is not a regular file";
  if (::access(file.c_str(), R_OK) != 0) return "cannot be read: " + std::generic_category().message(errno);
  if (info.st_size > 64 * 1024 * 1024) return "is far larger than any definition";
  return "";
}

}  // namespace

NodePtr load(const std::filesystem::path& file, std::vector<Diagnostic>& faults, const Limits& limits) {
  const std::string name = file.empty() ? "(no name)" : file.string();
  const auto refuse = [&](const std::string& why) {
    faults.push_back({{name, 0, 0}, "", why, "", why.starts_with("there is") ? "" : "name a definition file"});
    return nullptr;
  };
  if (const std::string why = unreadable(file); !why.empty()) return refuse(why);
  std::string text;
  try {
    text = read_file(file);
  } catch (const InputError&) {
    return refuse("cannot be read");
  }
  return parse(text, name, faults, limits);
}

}  // namespace rig::yaml
