// SPDX-License-Identifier: GPL-2.0-or-later
// Configuring and compiling a kernel tree, out of tree and reproducibly.
#pragma once
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/base/process.h"
#include "rig/kernel/compat.h"
#include "rig/kernel/kernel.h"
#include "rig/kernel/toolchain.h"

namespace rig::kernel {

struct Build {
  std::string name;              // the kernel's, for messages
  std::filesystem::path source;  // patched tree
  std::filesystem::path output;  // O=
  std::filesystem::path work;    // the work place; marks the processes of the build
  std::filesystem::path log;     // appended to
  std::filesystem::path ccache;  // its directory, unless the user's environment names one; empty: no ccache
  Toolchain toolchain;
  CompatRules compat;
  unsigned jobs = 1;
};

using Environment = std::map<std::string, std::string>;
Environment caller_environment();

// The make command for these targets. The caller's environment is not handed on, so that a MAKEFLAGS or
// KCFLAGS in it changes no kernel; only PATH, HOME, TMPDIR and CCACHE_… are.
Command make_command(const Build& build, const std::vector<std::string>& targets, const Environment& caller,
                     const Environment& extra = {});

// Writes .config from the request and proves it. Throws InputError with every symbol that did not stick,
// WorkError where the kernel's own make fails.
void configure(const Build& build, const std::vector<ConfigLine>& request, std::stop_token stop);

// Builds bzImage. Throws WorkError with the first error and the log's path.
void compile(const Build& build, const KernelProgress& progress, std::stop_token stop);

// Copies vmlinux, bzImage and .config into directory and fills in what they say of themselves.
KernelArtifact collect(const Build& build, const std::filesystem::path& directory);

}  // namespace rig::kernel
