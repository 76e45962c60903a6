// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/toolchain_tree.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "rig/base/base.h"
#include "rig/kernel/waiting.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t name_digits = 24;  // of a hash, in the name of a directory
constexpr const char* layout = "1";      // raised where what is unpacked, or the launchers, change

// Its loader and C library belong together, and programs of an older one run on a newer.
const std::set<std::string> of_the_host = {"libc6", "libc-bin", "libc6-dev", "debconf", "dpkg"};

const char* const binutils[] = {"ld", "as", "ar", "nm", "objcopy", "objdump", "strip", "readelf", "ranlib", "size"};

bool wanted_member(const std::string& member) {
  return member.starts_with("/usr/bin/") || member.starts_with("/usr/lib/") || member.starts_with("/lib/") ||
         member.starts_with("/usr/libexec/") || member.starts_with("/bin/");
}

std::string line_of(const DebianPackage& package) {
  return package.name + " " + package.version + " sha256 " + package.sha256;
}

void unpack_packages(const std::vector<DebianPackage>& packages, const PackageShelf& shelf, const fs::path& place,
                     const KernelProgress& progress, std::stop_token stop) {
  const FileLock lock = FileLock::wait(place.string() + ".lock", stop, waiting(progress, "unpacks this toolchain"));
  if (fs::exists(place)) return;
  const TempDir work(place.parent_path(), "unpack");
  for (const auto& package : packages) {
    if (progress) progress("fetching " + package.name + " " + package.version);
    const fs::path deb = shelf.fetch(package, stop);
    if (progress) progress("unpacking " + package.name + " " + package.version);
    unpack_deb(deb, work.path() / "tree", wanted_member, stop);
  }
  fs::rename(work.path() / "tree", place);
}

// The program below an unpacked directory: by its own name, or by its name for this architecture.
std::optional<fs::path> program_in(const fs::path& directory, const std::string& program) {
  if (program.find('/') != std::string::npos) return find_program(program);
  for (const char* bin : {"usr/bin", "bin", "usr/local/bin"}) {
    for (const char* prefix : {"", "x86_64-linux-gnu-"}) {
      const fs::path file = directory / bin / (prefix + program);
      std::error_code none;
      if (fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0) return fs::canonical(file);
    }
  }
  return std::nullopt;
}

std::string library_path(const fs::path& directory) {
  std::string path;
  for (const char* lib : {"usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib", "lib", "lib64", "usr/lib64"}) {
    std::error_code none;
    // A link within (usr/lib and lib are often one) is one place.
    if (!fs::is_directory(directory / lib, none)) continue;
    path += (path.empty() ? "" : ":") + (directory / lib).string();
  }
  return path;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string launcher(const fs::path& program, const std::string& libraries, const std::string& comment) {
  return "#!/bin/sh\n" + (comment.empty() ? "" : "# " + comment + "\n") + "LD_LIBRARY_PATH=" + quoted(libraries) +
         "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec " + quoted(program.string()) + " \"$@\"\n";
}

void write_launcher(const fs::path& file, const std::string& text) {
  std::error_code none;
  if (fs::is_regular_file(file, none) && read_file(file) == text) return;
  write_file(file, text, 0755);
}

// The same toolchain with its programs called by launchers.
ToolchainSpec launched(const ToolchainSpec& spec, const fs::path& directory, const fs::path& launchers,
                       std::stop_token stop) {
  make_directories(launchers);
  const std::string libraries = library_path(directory);
  const auto version = [&](const std::string& program) {
    const auto file = program_in(directory, program);
    if (!file) return std::string();
    const auto answer =
        run({.argv = {file->string(), "--version"}, .env = {{"LC_ALL", "C"}, {"LD_LIBRARY_PATH", libraries}}}, stop);
    return answer.out.substr(0, answer.out.find('\n'));
  };
  const auto launch = [&](const std::string& program, const std::string& as,
                          const std::string& comment = "") -> std::optional<std::string> {
    const auto file = program_in(directory, program);
    if (!file) return std::nullopt;
    write_launcher(launchers / as, launcher(*file, libraries, comment));
    return (launchers / as).string();
  };
  ToolchainSpec found = spec;
  // For ccache, which knows a compiler by this file.
  const std::string versions = version(spec.compiler) + ", " + version(spec.binutils + "ld");
  const auto compiler = launch(spec.compiler, fs::path(spec.compiler).filename().string(), versions);
  if (!compiler) {
    throw HostLacks(
        "the toolchain in " + directory.string() + " has no compiler " + spec.compiler + " in its usr/bin or bin",
        "name its compiler with compiler:");
  }
  found.compiler = *compiler;
  if (spec.binutils.find('/') == std::string::npos) {
    bool own = false;
    for (const char* tool : binutils) own = launch(spec.binutils + tool, tool).has_value() || own;
    if (own) found.binutils = launchers.string() + "/";
  }
  if (const auto make = launch(spec.make, "make")) found.make = *make;
  return found;
}

}  // namespace

std::optional<std::vector<DebianPackage>> toolchain_packages(const ToolchainSpec& spec, const PackageShelf& shelf,
                                                             Lookup lookup, std::stop_token stop) {
  std::vector<DebianPackage> found;
  std::set<std::string> seen = of_the_host;
  std::vector<std::string> names = spec.packages;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!seen.insert(names[i]).second) continue;
    const auto package = lookup == Lookup::Remembered ? shelf.remembered(names[i], spec.suite)
                                                      : shelf.resolve(names[i], spec.suite, stop);
    if (!package) return std::nullopt;
    names.insert(names.end(), package->depends.begin(), package->depends.end());
    found.push_back(*package);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

fs::path toolchain_place(const fs::path& toolchains, const std::vector<DebianPackage>& packages) {
  KeyHasher hasher;
  hasher.field("layout", layout);
  for (const auto& package : packages) hasher.field("package", line_of(package));
  return toolchains / hasher.hex().substr(0, name_digits);
}

std::optional<Toolchain> toolchain_of(const ToolchainSpec& spec, const PackageShelf& shelf, const fs::path& toolchains,
                                      Lookup lookup, const KernelProgress& progress, std::stop_token stop) {
  if (spec.packages.empty() && spec.directory.empty()) return find_programs(spec, stop);
  fs::path directory = spec.directory, launchers;
  std::vector<std::string> lines;
  if (!spec.packages.empty()) {
    const auto packages = toolchain_packages(spec, shelf, lookup, stop);
    if (!packages) return std::nullopt;
    directory = toolchain_place(toolchains, *packages);
    if (!fs::exists(directory)) {
      if (lookup == Lookup::Remembered) return std::nullopt;
      make_directories(toolchains);
      unpack_packages(*packages, shelf, directory, progress, stop);
    }
    for (const auto& package : *packages) lines.push_back(line_of(package));
  } else {
    directory = fs::canonical(directory);
  }
  launchers = toolchains / (sha256(directory.string()).substr(0, name_digits) + ".launchers");
  Toolchain toolchain = find_programs(launched(spec, directory, launchers, stop), stop);
  toolchain.name = spec.name;
  toolchain.packages = std::move(lines);
  return toolchain;
}

ToolchainArtifact ensure_toolchain(const ToolchainSpec& spec, const PackageShelf& shelf, const fs::path& toolchains,
                                   const KernelProgress& progress, std::stop_token stop) {
  const Toolchain toolchain = *toolchain_of(spec, shelf, toolchains, Lookup::Resolve, progress, stop);
  check_compilers(toolchain, stop);
  ToolchainArtifact artifact{.name = spec.name,
                             .directory = spec.directory,
                             .compiler = toolchain.compiler_version,
                             .binutils = toolchain.binutils_version,
                             .program = toolchain.cc,
                             .packages = toolchain.packages};
  if (!spec.packages.empty()) {
    artifact.directory = toolchain_place(toolchains, *toolchain_packages(spec, shelf, Lookup::Resolve, stop));
  }
  return artifact;
}

}  // namespace rig::kernel
