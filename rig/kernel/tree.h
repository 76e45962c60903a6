// SPDX-License-Identifier: GPL-2.0-or-later
// Kernel trees as files: what belongs to one, what identifies its content, copies of it.
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace rig::kernel {

// Whether a directory looks like the top of a kernel's source.
bool is_kernel_tree(const std::filesystem::path& directory);

// The files and symbolic links of a user's tree, sorted, relative to it. In a git work tree those git
// knows or would add (so no build products); else all of them.
std::vector<std::string> tree_files(const std::filesystem::path& tree, std::stop_token stop);

// All files and symbolic links below a directory, sorted, but those of git.
std::vector<std::string> all_files(const std::filesystem::path& tree, const std::stop_token& stop);

// What identifies the content: "git tree <id>" for a clean git work tree, else "content <sha256>" of all
// of tree_files (a few seconds). memory: a directory that keeps the answer for as long as no file's size,
// times or inode change; empty: none.
std::string tree_content(const std::filesystem::path& tree, std::stop_token stop,
                         const std::filesystem::path& memory = {});

// Copies one file to a place where none is; a full disk is told as such (the standard library calls it an
// input/output error).
void copy_one(const std::filesystem::path& from, const std::filesystem::path& to);

// A copy by hard links of a whole tree on the same file system: about a second for Linux. Whoever
// changes it must replace files, not write into them.
void link_tree(const std::filesystem::path& from, const std::filesystem::path& to, std::stop_token stop);

}  // namespace rig::kernel
