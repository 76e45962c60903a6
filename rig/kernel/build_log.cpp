// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/build_log.h"

#include <algorithm>
#include <cctype>

#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

bool contains(std::string_view line, std::string_view what) { return line.find(what) != std::string_view::npos; }

// "file:line:column: error: …" and "… fatal error: …", as GCC and clang write it.
bool compiler_error(std::string_view line) {
  std::size_t at = line.find(": error: ");
  if (at == std::string_view::npos) at = line.find(": fatal error: ");
  if (at == std::string_view::npos || at == 0) return false;
  return std::isdigit(static_cast<unsigned char>(line[at - 1])) != 0;
}

bool tool_error(std::string_view line) {
  return contains(line, ": error: ") || contains(line, ": Error: ") || contains(line, "undefined reference to ") ||
         contains(line, "multiple definition of ") || line.starts_with("ERROR: ") || line.starts_with("error: ") ||
         contains(line, ": fatal error: ") || contains(line, "ld: ") || contains(line, ": not found") ||
         contains(line, ": error, ") || contains(line, "objtool: ");
}

bool make_error(std::string_view line) { return line.starts_with("make") && contains(line, ": *** "); }

}  // namespace

bool disk_full(std::string_view log) {
  return contains(log, "No space left on device") || contains(log, "Disk quota exceeded");
}

std::string first_error(std::string_view log) {
  const auto lines = lines_of(log);
  const auto first = [&](auto matches) {
    const auto found = std::find_if(lines.begin(), lines.end(), matches);
    return found == lines.end() ? std::string() : std::string(trim(*found));
  };
  std::string line = first([](auto text) { return disk_full(text); });
  if (line.empty()) line = first(compiler_error);
  // Warnings and notes of linkers and objtool look like errors; only what stands before make's own word
  // counts.
  if (line.empty()) {
    const auto made = std::find_if(lines.begin(), lines.end(), make_error);
    const auto found = std::find_if(lines.begin(), made, [](auto text) {
      return tool_error(text) && !contains(text, "warning: ") && !contains(text, "NOTE: ");
    });
    if (found != made) line = std::string(trim(*found));
  }
  if (line.empty()) line = first(make_error);
  return line;
}

std::size_t objects_built(std::string_view log) {
  const auto lines = lines_of(log);
  return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [](std::string_view line) {
    if (!line.starts_with("  ")) return false;
    line.remove_prefix(2);
    return line.starts_with("CC ") || line.starts_with("AS ");
  }));
}

}  // namespace rig::kernel
