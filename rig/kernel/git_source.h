// SPDX-License-Identifier: GPL-2.0-or-later
// Trees out of git repositories, by git itself. Of a repository elsewhere one commit is fetched into a
// bare repository of rig's, without its history; a repository on this host is read where it is.
#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "rig/kernel/kernel.h"

namespace rig::kernel {

struct GitTree {
  std::filesystem::path repository;  // its git directory
  std::string commit, tree;          // ids, whole
  std::string note = {};             // why a branch was not followed; "" for nothing
};

class GitRepositories {
 public:
  // directory: holds a bare repository an URL.
  explicit GitRepositories(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Without network: of a repository on this host always; else where the ref was fetched before. Throws
  // InputError where a repository on this host has no such ref.
  std::optional<GitTree> remembered(const GitSource& source, std::stop_token stop) const;

  // The same, fetched where need be. A tag or a commit is asked for once. A branch is asked for each time and
  // followed; where the repository cannot be reached the commit that was fetched last serves, with a note.
  // Throws InputError (no such ref, another commit than the definition says), HostLacks (no git, host not
  // reachable and nothing kept), InterruptedError.
  GitTree resolve(const GitSource& source, const KernelProgress& progress, std::stop_token stop) const;

 private:
  std::filesystem::path place(const GitSource& source) const;
  std::filesystem::path directory_;
};

// One file's text; "" where the tree has none.
std::string git_file(const GitTree& tree, const std::string& file, std::stop_token stop);

// Writes all files of the tree below a new directory; index is a file of git's for the while.
void git_checkout(const GitTree& tree, const std::filesystem::path& directory, const std::filesystem::path& index,
                  std::stop_token stop);

}  // namespace rig::kernel
