// SPDX-License-Identifier: GPL-2.0-or-later
// Where a kernel comes from: what identifies it before anything is fetched, then its tree or its image.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/debian/debian.h"
#include "rig/kernel/download.h"
#include "rig/kernel/git_source.h"
#include "rig/kernel/kernel.h"
#include "rig/kernel/version.h"

namespace rig::kernel {

// Debian's archive as this folder needs it.
struct PackageShelf {
  // The package as resolved before, without network.
  std::function<std::optional<DebianPackage>(const std::string& package, const std::string& suite)> remembered;
  std::function<DebianPackage(const std::string& package, const std::string& suite, std::stop_token)> resolve;
  std::function<std::filesystem::path(const DebianPackage&, std::stop_token)> fetch;  // the .deb
};

// The real one, over rig's packages directory.
PackageShelf debian_shelf(const std::filesystem::path& directory);

// All that sources come from, and where rig keeps them.
struct Origins {
  PackageShelf packages;
  GitRepositories git;
  Downloads downloads;
  std::filesystem::path trees;       // pristine trees, each named by its content
  std::filesystem::path memory;      // what was found out of users' trees and files
  std::filesystem::path toolchains;  // unpacked ones
};
// kernels: the directory "kernels" of rig's cache.
Origins origins_in(const std::filesystem::path& kernels, const PackageShelf& packages);

struct SourceIdentity {
  std::string place;        // the same for all contents of one source: "debian bookworm linux-source-6.1"
  std::string content;      // changes with every change: a version and a hash
  std::string description;  // for reports
  std::optional<DebianPackage> package;
  std::optional<KernelVersion> version;  // of a source to build; nothing where its Makefile names none
  std::optional<GitTree> git;
};

enum class Lookup { Remembered, Resolve };

// Nothing only with Lookup::Remembered, where the package, ref or tarball was never asked for. A meta package
// is followed to the one it stands for (linux-image-amd64 → linux-image-6.1.0-50-amd64). A tarball is
// fetched and unpacked for it, since only then its version is known. Throws InputError where a path is no
// kernel tree or a file no bzImage, MissingChecksum, and what Downloads and GitRepositories throw.
std::optional<SourceIdentity> identify(const KernelSource& source, const Origins& origins, Lookup lookup,
                                       const KernelProgress& progress, std::stop_token stop);

// The pristine tree of a source that is no path: complete once it exists.
std::filesystem::path pristine_tree(const SourceIdentity& identity, const Origins& origins);
// The file that has its version, also where the tree was removed: "2.6.22", or "unknown".
std::filesystem::path version_file(const SourceIdentity& identity, const Origins& origins);
// The tarball, fetched where it is elsewhere.
std::filesystem::path tarball_file(const TarballSource& source, const Origins& origins, const KernelProgress& progress,
                                   std::stop_token stop);
// The one file below directory whose name begins so; empty for none. what: for the message where there are several.
std::filesystem::path only_file(const std::filesystem::path& directory, const std::string& prefix,
                                const std::string& what);
// Makes the pristine tree where it is not there.
void make_pristine(const KernelSource& source, const SourceIdentity& identity, const Origins& origins,
                   const KernelProgress& progress, std::stop_token stop);

// The patches as files on this host; nothing only with Lookup::Remembered, where one was never fetched.
std::optional<std::vector<std::filesystem::path>> patch_files(const std::vector<PatchSource>& patches,
                                                              const Origins& origins, Lookup lookup,
                                                              const KernelProgress& progress, std::stop_token stop);

// The files that are in the user's tree or in a copy of it: all that can differ between the two.
std::set<std::string> path_tree_files(const std::filesystem::path& tree, const std::filesystem::path& copy,
                                      std::stop_token stop);

// Cleans a fresh copy, in a work place, of build products. Throws WorkError where the user's tree is no
// longer what identity says.
void settle_path_tree(const std::filesystem::path& tree, const SourceIdentity& identity,
                      const std::filesystem::path& work, const std::filesystem::path& copy, std::stop_token stop);

// The image, and the configuration where one is there, as bzImage and config in directory; the rest of
// the artifact's description is filled in.
KernelArtifact take_prebuilt(const KernelSource& source, const SourceIdentity& identity, const PackageShelf& shelf,
                             const std::filesystem::path& directory, std::stop_token stop);

}  // namespace rig::kernel
