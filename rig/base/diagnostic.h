// SPDX-License-Identifier: GPL-2.0-or-later
// A fault in something the user wrote: where it stands, what is wrong, what is allowed, what to do.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rig {

// A place in a definition file. Lines and columns count from 1; 0 means "the file as a whole".
struct SourcePos {
  std::string file;
  int line = 0;
  int column = 0;
  auto operator<=>(const SourcePos&) const = default;
};

struct Diagnostic {
  SourcePos pos;
  std::string path;        // YAML path, as "jobs[1].clients"; empty where there is none
  std::string message;     // what is wrong
  std::string allowed;     // what may stand there; empty where that says nothing
  std::string suggestion;  // what to do, or the nearest allowed word; may be empty
};

// "file:line:column: path: message", then the source line with a caret, then what is allowed and
// the suggestion. source_line is the text of pos.line, empty where it is not to be shown.
std::string render(const Diagnostic& diagnostic, std::string_view source_line);

// The same for several, sorted by place, with the lines read from their files (unreadable: not shown).
std::string render(std::vector<Diagnostic> diagnostics);

// The candidate nearest to word by edit distance, empty where none is near (more than a third of
// its length away).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "a, b or c".
std::string one_of(const std::vector<std::string>& words);

}  // namespace rig
