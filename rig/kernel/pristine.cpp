// SPDX-License-Identifier: GPL-2.0-or-later
// Pristine trees out of packages, tarballs and git repositories; patches out of URLs.

#include "rig/base/base.h"
#include "rig/kernel/placed.h"
#include "rig/kernel/source.h"
#include "rig/kernel/tree.h"
#include "rig/kernel/waiting.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t name_digits = 24;  // of a hash, in the name of a directory
constexpr const char* no_kernel =
    " holds no kernel tree\n  wanted: Makefile, arch, init, scripts and a Kconfig of Linux at its top, of a tarball in "
    "the one folder that it holds";

// The tarball inside a linux-source package.
fs::path package_tarball(const DebianPackage& package, const Origins& origins, const fs::path& work,
                         const KernelProgress& progress, std::stop_token stop) {
  if (progress) progress("fetching " + package.name + " " + package.version);
  const fs::path deb = origins.packages.fetch(package, stop);
  if (progress) progress("unpacking " + package.name + " " + package.version);
  unpack_deb(
      deb, work / "deb",
      [](const std::string& member) {
        return member.starts_with("/usr/src/linux-source-") && member.find(".tar") != std::string::npos;
      },
      stop);
  const std::string what = package.name + " " + package.version;
  const fs::path archive = only_file(work / "deb/usr/src", "linux-source-", what);
  if (archive.empty()) {
    throw InputError(what + " holds no /usr/src/linux-source-….tar; a package linux-source-N is wanted");
  }
  return archive;
}

struct MakeTree {
  const SourceIdentity& identity;
  const Origins& origins;
  const fs::path& work;
  const KernelProgress& progress;
  std::stop_token stop;

  void operator()(const DebianSource&) const {
    const DebianPackage& package = *identity.package;
    unpack_tar(package_tarball(package, origins, work, progress, stop), work / "tree", true, stop);
    if (!is_kernel_tree(work / "tree")) {
      throw InputError("the archive in " + package.name + " " + package.version + no_kernel);
    }
  }
  void operator()(const GitSource& source) const {
    if (progress) progress("reading " + source.ref + " out of " + source.url);
    git_checkout(*identity.git, work / "tree", work / "index", stop);
    if (!is_kernel_tree(work / "tree")) throw InputError(source.ref + " of " + source.url + no_kernel);
  }
  void operator()(const TarballSource& source) const {
    const fs::path file = tarball_file(source, origins, progress, stop);
    const std::string where = source.url.empty() ? source.file.string() : source.url;
    // What was fetched is proved already.
    if (source.url.empty()) {
      if (progress) progress("reading " + where);
      const std::string found = sha256_of_file(file);
      if (found != source.sha256) throw wrong_checksum(where, source.sha256, found);
    }
    const std::string name = where.substr(where.rfind('/') + 1);
    if (progress) progress("unpacking " + name);
    unpack_tar(file, work / "tree", true, stop, where);  // what was fetched is kept under its checksum
    if (!is_kernel_tree(work / "tree")) throw InputError(where + no_kernel);
  }
  template <typename Other>
  void operator()(const Other&) const {}
};

}  // namespace

fs::path pristine_tree(const SourceIdentity& identity, const Origins& origins) {
  return origins.trees / sha256(identity.content).substr(0, name_digits);
}

fs::path version_file(const SourceIdentity& identity, const Origins& origins) {
  return pristine_tree(identity, origins).string() + ".version";
}

fs::path tarball_file(const TarballSource& source, const Origins& origins, const KernelProgress& progress,
                      std::stop_token stop) {
  if (source.url.empty()) return source.file;
  return origins.downloads.fetch({source.url, source.sha256, source.url.substr(source.url.rfind('/') + 1)}, progress,
                                 stop);
}

void make_pristine(const KernelSource& source, const SourceIdentity& identity, const Origins& origins,
                   const KernelProgress& progress, std::stop_token stop) {
  const fs::path tree = pristine_tree(identity, origins);
  const auto whole = [&] { return fs::exists(tree) && fs::exists(version_file(identity, origins)); };
  if (whole()) return;
  make_directories(origins.trees);
  const FileLock lock = FileLock::wait(tree.string() + ".lock", stop, waiting(progress, "unpacks this source"));
  if (whole()) return;
  const fs::path work = tree.string() + ".part";
  fs::remove_all(work);  // of a killed process
  if (!fs::exists(tree)) {
    make_directories(work);
    try {
      std::visit(MakeTree{identity, origins, work, progress, stop}, source);
      fs::rename(work / "tree", tree);
    } catch (...) {
      std::error_code none;
      fs::remove_all(work, none);
      throw;
    }
    fs::remove_all(work);
  }
  const auto version = makefile_version(read_file(tree / "Makefile"));
  write_file(version_file(identity, origins), (version ? to_string(*version) : "unknown") + "\n");
}

std::optional<std::vector<fs::path>> patch_files(const std::vector<PatchSource>& patches, const Origins& origins,
                                                 Lookup lookup, const KernelProgress& progress, std::stop_token stop) {
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const PatchSource& patch = patches[i];
    if (patch.url.empty()) {
      files.push_back(patch.file);
      continue;
    }
    if (lookup == Lookup::Remembered && !origins.downloads.has(patch.sha256)) return std::nullopt;
    const std::string place = "patches[" + std::to_string(i) + "].url";
    fs::path file;
    try {
      file = origins.downloads.fetch({patch.url, patch.sha256, patch_name(patch)}, progress, stop);
    } catch (const InputError& error) {
      if (patch.pos.file.empty()) throw;
      throw placed(error.what(), patch.pos, place);
    }
    if (patch.sha256.empty()) throw MissingChecksum(patch.pos, place, sha256_of_file(file));
    files.push_back(file);
  }
  return files;
}

}  // namespace rig::kernel
