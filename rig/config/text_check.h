// SPDX-License-Identifier: GPL-2.0-or-later
// What can be said of a file's bytes before they are parsed, and where a byte stands for people.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rig/config/yaml_tree.h"

namespace rig::yaml {

struct NonText {
  std::string what;  // "a NUL byte", "bytes that are not UTF-8", "a control character"
  int line = 0;
};
// The first thing in it that no UTF-8 text file holds.
std::optional<NonText> find_non_text(std::string_view text);

// Whether the indentation of this line, or of the one before it, has a tab in it.
bool tab_indents(std::string_view text, int line);

// Byte positions to places as people count them.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  Mark place(int line, int byte_column) const;  // both from 0

 private:
  std::string text_;
  std::vector<std::size_t> starts_;
};

}  // namespace rig::yaml
