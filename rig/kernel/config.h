// SPDX-License-Identifier: GPL-2.0-or-later
// Kernel configuration as data: fragments are merged into one request, which becomes the text for
// KCONFIG_ALLCONFIG; afterwards the .config is compared with it. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rig/base/diagnostic.h"
#include "rig/kernel/version.h"

namespace rig::kernel {

// One symbol's wanted value.
struct ConfigLine {
  std::string symbol;     // "CONFIG_SMP"
  std::string value;      // "y", "m", "n", "64", "0x200000", "\"text\""
  bool optional = false;  // "# optional" behind it: may be unknown to the kernel
  SourcePos pos;          // file "" for what came from the definition's set:
  VersionRange range;     // "# since 2.6.38", "# before 3.10" or both behind it: asked of such kernels only
};

// What a .config says: symbol to value; a symbol that "is not set" is absent.
using DotConfig = std::map<std::string, std::string>;

// A symbol that did not come out as asked.
struct Unstuck {
  ConfigLine asked;
  std::string got;  // "y", "not set", …
};

// The lines of a fragment: "CONFIG_X=value", "# CONFIG_X is not set", comments and empty lines. What
// is none of these, and a symbol with two different values for one version, is added to faults.
std::vector<ConfigLine> parse_fragment(const std::string& file, std::string_view text, std::vector<Diagnostic>& faults);

// The same for the definition's set:, whose keys are symbols.
std::vector<ConfigLine> parse_set(const std::map<std::string, std::string>& set, std::vector<Diagnostic>& faults);

// The lines asked of this version, and what is left out of them in one line: "CONFIG_EXPERT (since 2.6.38)".
std::vector<ConfigLine> lines_for(const std::vector<ConfigLine>& lines, const std::optional<KernelVersion>& version);
std::vector<std::string> left_out(const std::vector<ConfigLine>& lines, const std::optional<KernelVersion>& version);

// One line a symbol, the later parts winning, in the order of the last word on each (of two members
// of one choice, Kconfig takes the later).
std::vector<ConfigLine> merge_config(const std::vector<std::vector<ConfigLine>>& parts);

// The text for KCONFIG_ALLCONFIG.
std::string allconfig_text(const std::vector<ConfigLine>& request);

DotConfig parse_dotconfig(std::string_view text);

// All that did not stick, in the order of the request.
std::vector<Unstuck> unstuck(const std::vector<ConfigLine>& request, const DotConfig& config);

// The value asked for a symbol, "" where the request does not name it.
std::string asked_value(const std::vector<ConfigLine>& request, std::string_view symbol);

}  // namespace rig::kernel
