// SPDX-License-Identifier: GPL-2.0-or-later
// SHA-256, over bytes, files, or named fields.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace rig {

std::string sha256(std::string_view bytes);                     // 64 hex digits
std::string sha256_of_file(const std::filesystem::path& file);  // throws InputError when unreadable

// A content key from named fields: each name and value enters with its length, so that no two
// different lists of fields give the same bytes.
class KeyHasher {
 public:
  KeyHasher();
  ~KeyHasher();
  KeyHasher(const KeyHasher&) = delete;
  KeyHasher& operator=(const KeyHasher&) = delete;
  KeyHasher& field(std::string_view name, std::string_view value);
  std::string hex();  // ends it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rig
