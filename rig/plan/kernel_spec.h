// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel to build or to take as it is. A value, resolved: fragments and patches are files.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rig/base/diagnostic.h"
#include "rig/plan/kernel_version.h"

namespace rig {

// A linux-source package of any Debian suite; the exact version is resolved and recorded.
struct DebianSource {
  std::string package;  // "linux-source-6.1"
  std::string suite;    // "bookworm"
};
struct PathSource {  // a kernel tree on this host
  std::filesystem::path path;
};
struct BzImageSource {  // a built kernel
  std::filesystem::path file;
};
struct PackageSource {  // a prebuilt linux-image package, for a quick look
  std::string package;
  std::string suite;
};
struct GitSource {     // a commit of a git repository
  std::string url;     // "https://…", "file://…", or a path on this host
  std::string ref;     // a tag, a branch or a commit's id
  std::string commit;  // the id that ref must have; "" where it is not said
};
struct TarballSource {         // a released tarball
  std::string url;             // "https://…" or "file://…"; "" where file is given
  std::filesystem::path file;  // on this host
  std::string sha256;          // "" where the definition does not have it yet
  SourcePos pos;               // of the url or file
};
using KernelSource = std::variant<DebianSource, PathSource, BzImageSource, PackageSource, GitSource, TarballSource>;

// A patch on this host, or one to fetch.
struct PatchSource {
  PatchSource(std::filesystem::path on_this_host) : file(std::move(on_this_host)) {}
  PatchSource(std::string address, std::string checksum, SourcePos place)
      : url(std::move(address)), sha256(std::move(checksum)), pos(std::move(place)) {}

  std::filesystem::path file;  // empty where url is given
  std::string url, sha256;     // sha256 "" where the definition does not have it yet
  SourcePos pos;               // of the url
};
std::string patch_name(const PatchSource& patch);  // "bld-6.1.patch"

// What a kernel is compiled with. Programs are names in PATH or paths; with a directory or packages they are
// looked up there first.
struct ToolchainSpec {
  std::string name = "gcc";  // its definition's, or what was written instead: for reports and ids
  std::string title;
  std::string compiler = "gcc";
  std::string binutils;  // what stands before ld, as, objcopy: "x86_64-linux-gnu-", "/opt/b/bin/"
  std::string make = "make";
  std::string host_compiler = "gcc";  // for what runs during the build
  std::filesystem::path directory;    // an unpacked tree: its usr/bin, bin and their libraries
  std::vector<std::string> packages;  // of Debian, unpacked with what they depend on
  std::string suite;                  // of the packages
  std::filesystem::path file;         // its definition; empty where it has none
};

struct KernelSpec {
  std::string name;  // "debian-6.1-bld"
  std::string title;
  KernelSource source;
  std::vector<PatchSource> patches;              // applied in order
  std::vector<std::filesystem::path> fragments;  // config fragments, later ones win
  std::map<std::string, std::string> set;        // CONFIG_X → y, n, m, a number or a quoted string
  ToolchainSpec toolchain;
  std::vector<std::string> boot_args;  // always on its command line
  // What is known of it before it is built: stated, or told by the source's name or files.
  std::optional<KernelVersion> version;
  SourcePos pos;  // of its source, in its definition; no file where it comes from none
};

bool is_prebuilt(const KernelSpec& spec);                            // bzimage: or package:
std::optional<KernelVersion> named_version(const KernelSpec& spec);  // by its source's name alone
std::string describe_source(const KernelSpec& spec);                 // "linux-source-6.1 (bookworm)"

}  // namespace rig
