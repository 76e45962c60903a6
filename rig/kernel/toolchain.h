// SPDX-License-Identifier: GPL-2.0-or-later
// The programs that build a kernel, and their versions.
#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/kernel/config.h"
#include "rig/plan/kernel_spec.h"

namespace rig::kernel {

struct Toolchain {
  std::string cc;                // as make gets it, without ccache
  std::string compiler_version;  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0"
  std::string binutils_version;  // "GNU ld (GNU Binutils for Debian) 2.40"
  std::string name = {};         // of its definition; "" where the programs of PATH are meant
  std::string binutils = {};     // before ld, as, objcopy; "" for those of PATH
  std::string make = "make", host_cc = "gcc";
  std::string make_version = {}, host_version = {};  // where others than make and gcc are named
  std::vector<std::string> packages = {};            // "gcc-10 10.2.1-6 sha256 …", where it is made of such

  std::string description() const;  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld 2.40"
  // For keys: what was said of it beside the compiler's and binutils' versions; "" for nothing.
  std::string further() const;
  // The compiler's first words: it has to find the binutils that make uses.
  std::vector<std::string> compiler_words() const;
};

// Asks the programs that spec names, all in PATH, of the host, or launchers (see toolchain_tree.h). Throws
// HostLacks naming one that is not there or does not answer.
Toolchain find_programs(const ToolchainSpec& spec, std::stop_token stop);

// Compiles a few lines. Throws HostLacks where that fails: the compiler is none, or lacks a part.
void check_compilers(const Toolchain& toolchain, std::stop_token stop);

// Throws HostLacks naming everything that a build lacks, with the packages that bring it: of this tree, or of
// one with objtool (since 4.6) and without.
void check_build_tools(bool objtool, const std::vector<ConfigLine>& request, const Toolchain& toolchain,
                       std::stop_token stop);
void check_build_tools(const std::filesystem::path& tree, const std::vector<ConfigLine>& request,
                       const Toolchain& toolchain, std::stop_token stop);

}  // namespace rig::kernel
