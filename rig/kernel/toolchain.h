// SPDX-License-Identifier: GPL-2.0-or-later
// The programs that build a kernel, and their versions.
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/kernel/config.h"

namespace rig::kernel {

struct Toolchain {
  std::string cc;                // as make gets it, without ccache
  std::string compiler_version;  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0"
  std::string binutils_version;  // "GNU ld (GNU Binutils for Debian) 2.40"

  std::string description() const;  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld 2.40"
};

// Asks the compiler and ld in PATH. Throws HostLacks.
Toolchain find_toolchain(const std::string& cc, std::stop_token stop);

// Throws HostLacks naming everything that a build lacks, with the packages that bring it: of this tree, or of
// one with objtool (since 4.6) and without.
void check_build_tools(bool objtool, const std::vector<ConfigLine>& request, std::stop_token stop);
void check_build_tools(const std::filesystem::path& tree, const std::vector<ConfigLine>& request, std::stop_token stop);

}  // namespace rig::kernel
