// SPDX-License-Identifier: GPL-2.0-or-later
// What a program needs to be loaded, read from its ELF file. Pure, and safe on any bytes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rig {

struct ElfNeeds {
  std::string interpreter;             // "/lib64/ld-linux-x86-64.so.2"; empty for a static program
  std::vector<std::string> libraries;  // "libc.so.6": names without a path, in the file's order
  // The oldest Linux that its C library starts on: "3.2.0", of the note NT_GNU_ABI_TAG; empty for none.
  std::string least_kernel = {};
  bool operator==(const ElfNeeds&) const = default;
};

bool is_elf(std::string_view bytes);

// Throws InputError, with the name given, for what is no sound x86-64 ELF file.
ElfNeeds elf_needs(std::string_view bytes, const std::string& name);

}  // namespace rig
