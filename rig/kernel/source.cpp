// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/source.h"

#include <cctype>

#include "rig/base/base.h"
#include "rig/kernel/artifact.h"
#include "rig/kernel/elf_note.h"
#include "rig/kernel/leftovers.h"
#include "rig/kernel/text.h"
#include "rig/kernel/tree.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

// "linux-image-6.1.0-50-amd64" for the prefix "linux-image-", but not "linux-image-amd64".
bool is_versioned(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         std::isdigit(static_cast<unsigned char>(name[prefix.size()])) != 0;
}

std::optional<DebianPackage> find_package(const std::string& name, const std::string& suite, const PackageShelf& shelf,
                                          Lookup lookup, std::stop_token stop) {
  if (lookup == Lookup::Remembered) return shelf.remembered(name, suite);
  return shelf.resolve(name, suite, stop);
}

std::optional<SourceIdentity> identify_package(const std::string& name, const std::string& suite,
                                               const std::string& prefix, const PackageShelf& shelf, Lookup lookup,
                                               std::stop_token stop) {
  auto package = find_package(name, suite, shelf, lookup, stop);
  if (package && !is_versioned(name, prefix)) {
    for (const auto& dependency : package->depends) {
      if (!is_versioned(dependency, prefix)) continue;
      package = find_package(dependency, suite, shelf, lookup, stop);
      break;
    }
  }
  if (!package) return std::nullopt;
  SourceIdentity identity;
  identity.place = "debian " + suite + " " + name;
  identity.content = package->name + " " + package->version + " sha256 " + package->sha256;
  identity.description =
      package->name + " " + package->version + " (" + suite + "), sha256 " + package->sha256.substr(0, 12);
  identity.version = leading_version(package->version);
  identity.package = std::move(package);
  return identity;
}

struct Identify {
  const Origins& origins;
  Lookup lookup;
  const KernelProgress& progress;
  std::stop_token stop;

  std::optional<SourceIdentity> operator()(const DebianSource& source) const {
    return identify_package(source.package, source.suite, "linux-source-", origins.packages, lookup, stop);
  }
  std::optional<SourceIdentity> operator()(const PackageSource& source) const {
    return identify_package(source.package, source.suite, "linux-image-", origins.packages, lookup, stop);
  }
  std::optional<SourceIdentity> operator()(const PathSource& source) const {
    std::error_code error;
    const fs::path tree = fs::canonical(source.path, error);
    if (error) throw InputError("the kernel tree " + source.path.string() + " cannot be opened: " + error.message());
    if (!is_kernel_tree(tree)) {
      throw InputError(tree.string() +
                       " is no kernel tree: Makefile, arch, init, scripts and a Kconfig of Linux are "
                       "not all in it; name the top of a kernel's source");
    }
    const std::string content = tree_content(tree, stop, origins.memory);
    const std::string shown = content.substr(0, content.rfind(' ') + 1 + 12);
    return SourceIdentity{"path " + tree.string(),
                          content,
                          tree.string() + ", " + shown,
                          std::nullopt,
                          makefile_version(read_file(tree / "Makefile")),
                          std::nullopt};
  }
  std::optional<SourceIdentity> operator()(const BzImageSource& source) const {
    std::error_code error;
    const fs::path file = fs::canonical(source.file, error);
    if (error) throw InputError("the kernel " + source.file.string() + " cannot be opened: " + error.message());
    if (is_elf(file)) {
      throw InputError(file.string() +
                       " is an ELF file (a vmlinux?), not a bzImage; of a built tree the file "
                       "arch/x86/boot/bzImage is wanted");
    }
    const std::string hash = sha256_of_file(file);
    if (!is_bzimage(file)) {
      throw InputError(
          file.string() +
          " is no bzImage: it lacks the boot header of a Linux kernel for x86\n  wanted: of a built tree the file "
          "arch/x86/boot/bzImage, of a distribution /boot/vmlinuz-…");
    }
    return SourceIdentity{"bzimage " + file.string(),
                          "sha256 " + hash,
                          file.string() + ", sha256 " + hash.substr(0, 12),
                          std::nullopt,
                          std::nullopt,
                          std::nullopt};
  }
  std::optional<SourceIdentity> operator()(const GitSource& source) const {
    const auto tree = lookup == Lookup::Remembered ? origins.git.remembered(source, stop)
                                                   : origins.git.resolve(source, progress, stop);
    if (!tree) return std::nullopt;
    return SourceIdentity{"git " + source.url,
                          "git tree " + tree->tree,
                          source.url + " " + source.ref + ", commit " + tree->commit.substr(0, 12) +
                              (tree->note.empty() ? "" : " (" + tree->note + ")"),
                          std::nullopt,
                          makefile_version(git_file(*tree, "Makefile", stop)),
                          tree};
  }
  std::optional<SourceIdentity> operator()(const TarballSource& source) const {
    if (source.sha256.empty()) {
      if (lookup == Lookup::Remembered) return std::nullopt;
      const fs::path file = tarball_file(source, origins, progress, stop);
      throw MissingChecksum(source.pos, source.url.empty() ? "source.tarball.file" : "source.tarball.url",
                            sha256_of_file(file));
    }
    const std::string where = source.url.empty() ? source.file.string() : source.url;
    SourceIdentity identity{"tarball " + where,
                            "tarball sha256 " + source.sha256,
                            where + ", sha256 " + source.sha256.substr(0, 12),
                            std::nullopt,
                            std::nullopt,
                            std::nullopt};
    const fs::path known = version_file(identity, origins);
    if (!fs::exists(known)) {
      if (lookup == Lookup::Remembered) return std::nullopt;
      make_pristine(source, identity, origins, progress, stop);
    }
    identity.version = parse_version(trim(read_file(known)));
    return identity;
  }
};

}  // namespace

fs::path only_file(const fs::path& directory, const std::string& prefix, const std::string& what) {
  fs::path found;
  if (fs::exists(directory)) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (!entry.is_regular_file() || !entry.path().filename().string().starts_with(prefix)) continue;
      if (!found.empty()) throw InputError(what + " holds several files " + prefix + "…; which is meant is not clear");
      found = entry.path();
    }
  }
  return found;
}

PackageShelf debian_shelf(const fs::path& directory) {
  return {.remembered = [=](const std::string& package,
                            const std::string& suite) { return DebianArchive(directory, suite).remembered(package); },
          .resolve =
              [=](const std::string& package, const std::string& suite, std::stop_token stop) {
                return DebianArchive(directory, suite).resolve(package, "main", false, stop);
              },
          .fetch = [=](const DebianPackage& package,
                       std::stop_token stop) { return DebianArchive(directory, package.suite).fetch(package, stop); }};
}

Origins origins_in(const fs::path& kernels, const PackageShelf& packages) {
  return {packages,           GitRepositories(kernels / "git"),    Downloads(kernels / "downloads"), kernels / "src",
          kernels / "memory", kernels.parent_path() / "toolchains"};
}

std::optional<SourceIdentity> identify(const KernelSource& source, const Origins& origins, Lookup lookup,
                                       const KernelProgress& progress, std::stop_token stop) {
  return std::visit(Identify{origins, lookup, progress, stop}, source);
}

std::set<std::string> path_tree_files(const fs::path& tree, const fs::path& copy, std::stop_token stop) {
  const auto listed = tree_files(tree, stop);
  std::set<std::string> files(listed.begin(), listed.end());
  if (fs::exists(copy)) {
    const auto present = all_files(copy, stop);
    files.insert(present.begin(), present.end());
  }
  return files;
}

void settle_path_tree(const fs::path& tree, const SourceIdentity& identity, const fs::path& work, const fs::path& copy,
                      std::stop_token stop) {
  if (tree_content(tree, stop) != identity.content) {
    throw WorkError("the kernel tree " + tree.string() + " changed while it was copied; try again");
  }
  if (fs::exists(copy / ".config") || fs::exists(copy / "include/config") || fs::exists(copy / "include/generated")) {
    // A tree without git that was built in: O= is refused until it is clean.
    run_checked(
        {.argv = {"make", "-C", copy.string(), "mrproper"}, .env = {{"LC_ALL", "C"}, {build_marker, work.string()}}},
        stop);
  }
}

KernelArtifact take_prebuilt(const KernelSource& source, const SourceIdentity& identity, const PackageShelf& shelf,
                             const fs::path& directory, std::stop_token stop) {
  KernelArtifact artifact;
  artifact.source = identity.description;
  if (const auto* image = std::get_if<BzImageSource>(&source)) {
    copy_one(fs::canonical(image->file), directory / bzimage_name);
    if ("sha256 " + sha256_of_file(directory / bzimage_name) != identity.content) {
      throw WorkError(image->file.string() + " changed while it was copied; try again");
    }
  } else {
    const DebianPackage& package = *identity.package;
    const fs::path deb = shelf.fetch(package, stop);
    const TempDir unpacked(directory, "deb");
    unpack_deb(
        deb, unpacked.path(),
        [](const std::string& member) {
          return member.starts_with("/boot/vmlinuz-") || member.starts_with("/boot/config-");
        },
        stop);
    const std::string what = package.name + " " + package.version;
    const fs::path kernel = only_file(unpacked.path() / "boot", "vmlinuz-", what);
    const fs::path config = only_file(unpacked.path() / "boot", "config-", what);
    if (kernel.empty() || !is_bzimage(kernel)) {
      throw InputError(what + " holds no kernel /boot/vmlinuz-…; a package linux-image-… for amd64 is wanted");
    }
    fs::rename(kernel, directory / bzimage_name);
    if (!config.empty()) fs::rename(config, directory / config_name);
  }
  artifact.release = bzimage_release(directory / bzimage_name);
  return artifact;
}

}  // namespace rig::kernel
