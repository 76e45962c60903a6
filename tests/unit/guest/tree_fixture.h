// SPDX-License-Identifier: GPL-2.0-or-later
// A /proc and /sys tree out of one file of tests/fixtures/guest, unpacked for as long as this lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace rig::guest_test {

class TreeFixture {
 public:
  explicit TreeFixture(const std::string& name) {
    std::string pattern = (std::filesystem::temp_directory_path() / "rig-guest-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
    root_ = pattern;
    std::ifstream from(std::string(RIG_SOURCE_DIR) + "/tests/fixtures/guest/" + name + ".tree");
    if (!from) throw std::runtime_error("no fixture " + name);
    std::ofstream file;
    for (std::string line; std::getline(from, line);) {
      if (line.starts_with("== ")) {
        const std::filesystem::path path = root_ / line.substr(3);
        std::filesystem::create_directories(path.parent_path());
        file = std::ofstream(path);
      } else if (file.is_open()) {
        file << line << '\n';
      }
    }
  }
  ~TreeFixture() { std::filesystem::remove_all(root_); }
  TreeFixture(const TreeFixture&) = delete;
  TreeFixture& operator=(const TreeFixture&) = delete;

  [[nodiscard]] std::string root() const { return root_.string(); }
  void remove(const std::string& path) const { std::filesystem::remove_all(root_ / path); }

 private:
  std::filesystem::path root_;
};

}  // namespace rig::guest_test
