// SPDX-License-Identifier: GPL-2.0-or-later
// Where the variants of one source are built, one after another at one path. The tree and the objects
// of the last good build stay: the next variant compiles only what its patches and symbols change.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "rig/kernel/patch_series.h"

namespace rig::kernel {

// What the last build left.
struct LastBuild {
  std::string basis;              // all that its objects rest upon beside files and symbols: the compiler, …
  std::set<std::string> touched;  // the files that its patches touched
};

class WorkPlace {
 public:
  // Ends what a killed process left running here, takes over the last build where its basis is the same,
  // and removes everything else. The caller holds the place's lock.
  WorkPlace(std::filesystem::path directory, const std::string& basis);
  // Removes all but what is kept.
  ~WorkPlace();
  WorkPlace(const WorkPlace&) = delete;
  WorkPlace& operator=(const WorkPlace&) = delete;

  const std::filesystem::path& path() const { return directory_; }
  std::filesystem::path source() const { return directory_ / "source"; }
  std::filesystem::path build() const { return directory_ / "build"; }

  const std::optional<LastBuild>& last() const { return last_; }
  // The tree and the objects are about to change: a process killed from here on leaves nothing to keep.
  void begin();
  // Keeps source and build for the next variant. Only after make ended by itself: a compiler that was
  // killed may leave half an object, newer than its source.
  void keep(const LastBuild& build);

 private:
  void sweep(bool all);
  std::filesystem::path directory_;
  std::optional<LastBuild> last_;
  bool kept_ = false;
};

// Makes these files of tree what they are in pristine with the staged patches. Files that are so already
// keep their times, so that make leaves their objects alone; the others are replaced.
void update_tree(const std::filesystem::path& pristine, const std::set<std::string>& files, const StagedPatches& staged,
                 const std::filesystem::path& tree, std::stop_token stop);

}  // namespace rig::kernel
