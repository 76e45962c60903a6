// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/patch_series.h"

#include <algorithm>
#include <charconv>

#include "rig/base/error.h"
#include "rig/base/process.h"
#include "rig/kernel/text.h"
#include "rig/kernel/tree.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_shown_lines = 40;

// A symbolic link in the tree could lead a harmless path out of it.
bool resolves_inside(const fs::path& tree, const std::string& path) {
  const fs::path root = fs::weakly_canonical(tree), target = fs::weakly_canonical(tree / path);
  const auto [end, ignored] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  return end == root.end() && !fs::is_symlink(fs::symlink_status(tree / path));
}

std::string shown(const Hunk& hunk) {
  std::string text;
  std::size_t count = 0;
  const auto lines = lines_of(hunk.text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (++count > max_shown_lines) {
      text += "\n    … " + std::to_string(lines.size() - i) + " more lines";
      break;
    }
    text += "\n    ";
    for (const char c : lines[i]) text += c == '\t' ? '\t' : static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return text;
}

Diagnostic hunk_fault(const PatchFile& patch, const FilePatch& file, std::size_t index, bool applied_before) {
  const Hunk& hunk = file.hunks[index];
  return {
      {patch.name, hunk.line, 1},
      "",
      "hunk " + std::to_string(index + 1) + " of " + std::to_string(file.hunks.size()) + " for " + file.path() +
          " does not apply" +
          (applied_before ? ": the tree seems to have this change already, or the patch is the wrong way round" : ""),
      "an offset in lines; no fuzz: every context line must stand in the tree",
      "the hunk:" + shown(hunk)};
}

// The numbers in "Hunk #3 FAILED at 120." lines.
std::vector<std::size_t> failed_hunks(std::string_view output) {
  std::vector<std::size_t> failed;
  for (auto line : lines_of(output)) {
    if (!line.starts_with("Hunk #") || line.find(" FAILED ") == std::string_view::npos) continue;
    line.remove_prefix(6);
    std::size_t number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    if (number > 0) failed.push_back(number - 1);
  }
  return failed;
}

void bring(const fs::path& tree, const std::string& path, StagedPatches& staged) {
  if (path.empty() || !staged.touched.insert(path).second) return;
  if (!fs::is_regular_file(tree / path)) return;
  fs::create_directories((staged.directory / path).parent_path());
  copy_one(tree / path, staged.directory / path);
}

// What became of one file of a patch. Undone: the tree is as if the patch were applied already, or as if it were
// meant backwards.
enum class Applied { Yes, No, Undone };

// Whether the file stands as the patch expects it; else the fault.
Applied check_presence(const PatchFile& patch, const FilePatch& file, const StagedPatches& staged,
                       std::vector<Diagnostic>& faults) {
  const auto exists = [&](const std::string& path) { return fs::exists(staged.directory / path); };
  const SourcePos pos{patch.name, file.line, 1};
  if (file.old_path.empty()) {
    if (!exists(file.new_path)) return Applied::Yes;
    faults.push_back({pos, "", "the patch makes " + file.new_path + ", which this tree has already", "",
                      "is the patch in this kernel already?"});
    return Applied::Undone;
  }
  if (exists(file.old_path) || (!file.new_path.empty() && exists(file.new_path))) return Applied::Yes;
  faults.push_back({pos, "", "this tree has no file " + file.old_path, "", "is the patch made for another kernel?"});
  return file.new_path.empty() ? Applied::Undone : Applied::No;
}

Applied apply_one(const PatchFile& patch, const FilePatch& file, StagedPatches& staged, std::vector<Diagnostic>& faults,
                  std::stop_token stop) {
  if (const Applied there = check_presence(patch, file, staged, faults); there != Applied::Yes) return there;
  const ProcessResult result = run({.argv = {"env", "-u", "POSIXLY_CORRECT", "patch", "-p1", "--unified", "--fuzz=0",
                                             "--forward", "--batch", "--no-backup-if-mismatch", "--reject-file=-"},
                                    .directory = staged.directory,
                                    .env = {{"LC_ALL", "C"}, {"PATCH_GET", "0"}},
                                    .input = file.text()},
                                   stop);
  staged.log += result.out + result.err;
  if (result.ok()) return Applied::Yes;
  const std::string output = result.out + result.err;
  const bool before = output.find("previously applied") != std::string::npos;
  auto failed = failed_hunks(output);
  if (failed.empty() && before) failed.push_back(0);
  for (const std::size_t index : failed) {
    if (index < file.hunks.size()) faults.push_back(hunk_fault(patch, file, index, before));
  }
  if (failed.empty()) {
    faults.push_back({{patch.name, file.line, 1},
                      "",
                      "the patch for " + file.path() + " does not apply: " + std::string(trim(output)),
                      "",
                      ""});
  }
  return before ? Applied::Undone : Applied::No;
}

// One message instead of one a file.
Diagnostic undone(const PatchFile& patch) {
  return {{patch.name, patch.files.front().line, 1},
          "",
          "the patch does not apply: the tree has the whole of it already, or it is the wrong way round (" +
              std::to_string(patch.files.size()) + " files, from " + patch.files.front().path() + " on)",
          "a patch that turns this source into the kernel that is meant",
          "remove it where the source or an earlier patch of the list holds it; make it anew where it was made "
          "backwards"};
}

}  // namespace

StagedPatches stage_patches(const fs::path& tree, const std::vector<PatchFile>& series, const fs::path& directory,
                            std::stop_token stop) {
  StagedPatches staged{.directory = directory};
  for (const auto& patch : series) {
    std::vector<Diagnostic> faults;
    for (const auto& file : patch.files) {
      for (const auto& path : {file.old_path, file.new_path}) {
        if (!path.empty() && !resolves_inside(tree, path)) {
          faults.push_back({{patch.name, file.line, 1},
                            "",
                            "the path " + path + " leads through a symbolic link of the tree",
                            "paths of ordinary files",
                            ""});
        } else {
          bring(tree, path, staged);
        }
      }
    }
    if (!faults.empty()) throw InputError(std::move(faults));
    staged.log += "applying " + patch.name + "\n";
    bool all_undone = patch.files.size() > 1;
    for (const auto& file : patch.files) {
      all_undone = apply_one(patch, file, staged, faults, stop) == Applied::Undone && all_undone;
    }
    if (all_undone) throw InputError(std::vector<Diagnostic>{undone(patch)});
    if (!faults.empty()) throw InputError(std::move(faults));
  }
  return staged;
}

}  // namespace rig::kernel
