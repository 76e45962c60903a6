// SPDX-License-Identifier: GPL-2.0-or-later
// A fuzz target: bytes from outside into one reader of rig, which must answer with a value or with one of rig's own
// errors. What else it must hold stands in the target. Under clang libFuzzer drives it, elsewhere the corpus is
// replayed (replay.cpp).
#pragma once
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "rig/base/base.h"

namespace rig::fuzz {

// The target's own, one a file.
void one(std::string_view bytes);

// Ends the program where a property does not hold, so that libFuzzer keeps the input.
inline void require(bool holds, std::string_view property) {
  if (holds) return;
  std::cerr << "does not hold: " << property << '\n';
  std::abort();
}

// What people read must not move their terminal.
inline bool clean(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; });
}

// One of rig's errors is an answer; its words must be there and printable. Anything else ends the program.
template <typename Work>
bool answers(Work&& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    require(error.what()[0] != '\0' && clean(error.what()), "an error has words that can be printed");
    return false;
  }
}

// The first byte chooses among so many; the rest is what is read.
inline std::size_t choose(std::string_view& bytes, std::size_t among) {
  if (bytes.empty()) return 0;
  const auto chosen = static_cast<unsigned char>(bytes.front()) % among;
  bytes.remove_prefix(1);
  return chosen;
}

// Pieces between NUL bytes, at most so many; the last holds the rest.
inline std::vector<std::string> pieces(std::string_view bytes, std::size_t most) {
  std::vector<std::string> found;
  while (found.size() + 1 < most) {
    const auto end = bytes.find('\0');
    if (end == std::string_view::npos) break;
    found.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  found.emplace_back(bytes);
  found.resize(most);
  return found;
}

// A directory of this process in memory, made once.
inline const std::filesystem::path& scratch() {
  static const TempDir directory(
      std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path(), "rig-fuzz");
  return directory.path();
}

}  // namespace rig::fuzz
