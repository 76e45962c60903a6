// SPDX-License-Identifier: GPL-2.0-or-later
// Unified diffs as data: which files a patch touches, and each hunk with its place. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "rig/base/diagnostic.h"

namespace rig::kernel {

struct Hunk {
  int line = 0;      // of its "@@" in the patch file
  std::string text;  // the whole hunk with its "@@"
};

// What a patch does to one file. Paths are within the tree, the first component (a/, b/) dropped.
struct FilePatch {
  std::string old_path;  // empty: the file is made
  std::string new_path;  // empty: the file is removed
  int line = 0;          // where its header begins
  std::string header;    // its header lines, as GNU patch shall read them
  std::vector<Hunk> hunks;

  const std::string& path() const { return new_path.empty() ? old_path : new_path; }
  std::string text() const;  // header and hunks
};

struct PatchFile {
  std::string name;  // as messages show it
  std::vector<FilePatch> files;
};

// Reads a patch. Added to faults: no hunk at all, a hunk that is cut short, a path that leads out of
// the tree, binary changes, symbolic links. Prose between the parts is skipped.
PatchFile parse_patch(const std::string& name, std::string_view text, std::vector<Diagnostic>& faults);

}  // namespace rig::kernel
