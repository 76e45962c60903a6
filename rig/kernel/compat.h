// SPDX-License-Identifier: GPL-2.0-or-later
// What lets a kernel be built by a compiler, binutils and make that are younger than it: compiler flags,
// headers, make variables and edits, each for a range of versions and with its reason. The edits go into
// rig's own copy of the tree, never into the user's.
#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "rig/kernel/patch_series.h"
#include "rig/kernel/version.h"

namespace rig::kernel {

// A word of the compiler's command line, before all that the kernel's makefiles add: also where those
// forget the flags of the rest (boot code, real mode, vDSO). "@SOURCE@" in it stands for the tree's path.
struct CompatFlag {
  VersionRange range;
  std::string flag, reason;
  int since_gcc = 0;  // the first major version that knows it; 0: all
};

// A header that this compiler needs and the kernel lacks, found after all its own. "@GCC@" in the path
// stands for the compiler's major version.
struct CompatHeader {
  VersionRange range;
  std::string path, text, reason;
};

struct CompatVariable {  // on make's command line
  VersionRange range;
  std::string name, value, reason;
};

// In this file exactly this text, which stands there once, becomes the other.
struct CompatEdit {
  VersionRange range;
  std::string file, from, to, reason;
};

struct CompatRules {
  std::vector<CompatFlag> flags;
  std::vector<CompatHeader> headers;
  std::vector<CompatVariable> variables;
  std::vector<CompatEdit> edits;

  bool empty() const { return flags.empty() && headers.empty() && variables.empty() && edits.empty(); }
};

// All that rig knows.
const CompatRules& all_compat_rules();

// Those for one version. compiler_version as in Toolchain: "gcc (Debian 12.2.0-14+deb12u1) 12.2.0".
CompatRules rules_for(const CompatRules& rules, const std::optional<KernelVersion>& version,
                      const std::string& compiler_version);

// For a kernel's key: everything in the rules that can change its bytes; "" for none.
std::string fingerprint(const CompatRules& rules);

// "helped by 8 compiler flags, 1 header and 6 edits"; "" for none.
std::string summary(const CompatRules& rules);

// A line a rule, for the build's log.
std::string listing(const CompatRules& rules);

// The compiler's further words over a tree with the headers in it.
std::vector<std::string> compiler_words(const CompatRules& rules, const std::filesystem::path& tree);

// Puts the headers and the edited files into the staging directory, as the patches left them or else as
// they are in the tree. An edit whose result stands there already is passed over: stable kernels took
// over some of them. Throws InputError with every edit that does not apply.
void stage_compat(const std::filesystem::path& tree, const CompatRules& rules,
                  const std::optional<KernelVersion>& version, StagedPatches& staged);

}  // namespace rig::kernel
