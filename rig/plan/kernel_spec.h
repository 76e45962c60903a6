// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel to build or to take as it is. A value, resolved: fragments and patches are files.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

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
using KernelSource = std::variant<DebianSource, PathSource, BzImageSource, PackageSource>;

struct KernelSpec {
  std::string name;  // "debian-6.1-bld"
  std::string title;
  KernelSource source;
  std::vector<std::filesystem::path> patches;    // applied in order
  std::vector<std::filesystem::path> fragments;  // config fragments, later ones win
  std::map<std::string, std::string> set;        // CONFIG_X → y, n, m, a number or a quoted string
  std::string toolchain = "gcc";                 // the compiler's program name
  std::vector<std::string> boot_args;            // always on its command line
};

bool is_prebuilt(const KernelSpec& spec);             // bzimage: or package:
std::string describe_source(const KernelSpec& spec);  // "linux-source-6.1 (bookworm)"

}  // namespace rig
