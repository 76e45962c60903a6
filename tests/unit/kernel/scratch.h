// SPDX-License-Identifier: GPL-2.0-or-later
// A directory per test, and small files in it.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include "rig/base/base.h"

namespace rig::kernel {

class Scratch {
 public:
  Scratch() : directory_(std::filesystem::temp_directory_path(), "rig-kernel-test") {}
  const std::filesystem::path& path() const { return directory_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  TempDir directory_;
};

// Everything below a directory, as "path=content" lines: equal before and after means untouched.
inline std::string snapshot(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(directory).string()] = read_file(entry.path());
  }
  std::string text;
  for (const auto& [name, content] : files) text += name + "=" + content + "\n";
  return text;
}

template <typename Exception, typename Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace rig::kernel
