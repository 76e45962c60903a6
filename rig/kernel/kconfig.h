// SPDX-License-Identifier: GPL-2.0-or-later
// Why a symbol does not stick: the conditions that stand beside it in the kernel's Kconfig files.
// This reads enough of the language for messages; the judgement stays with the kernel's own tool.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rig/kernel/config.h"

namespace rig::kernel {

// One definition of a symbol.
struct KconfigEntry {
  std::string file;  // within the tree
  int line = 0;
  bool prompt = false;               // the user can set it
  int choice = 0;                    // the choice it belongs to, 0: none
  std::vector<std::string> depends;  // its own, and those of the ifs, menus and choice around it in its file
  std::vector<std::string> prompt_conditions;
};

struct Kconfig {
  std::map<std::string, std::vector<KconfigEntry>> entries;     // by symbol without CONFIG_
  std::map<std::string, std::vector<std::string>> selected_by;  // symbol to selecting symbols
  int choices = 0;
};

void parse_kconfig(const std::string& file, std::string_view text, Kconfig& into);

// Whether an expression of Kconfig holds: "A && (B || !C) && D = \"x\"", m counting as y. A text that
// cannot be read holds (then nothing is claimed about it).
bool holds(std::string_view expression, const DotConfig& config);

// The symbols in an expression, without CONFIG_.
std::vector<std::string> symbols_in(std::string_view expression);

// The reason in words: "no such symbol in this kernel", "depends on PCI && X86_MCE (drivers/x/Kconfig:12),
// and CONFIG_X86_MCE is not set"; "" where none is to be seen.
std::string reason(const Unstuck& fault, const Kconfig& kconfig, const DotConfig& config);

// One fault a symbol that did not stick, each with its reason. Symbols asked as optional that the
// kernel does not know are no faults.
std::vector<Diagnostic> config_faults(const std::vector<Unstuck>& unstuck, const Kconfig& kconfig,
                                      const DotConfig& config);

}  // namespace rig::kernel
