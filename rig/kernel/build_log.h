// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the log of a kernel build. Pure.
#pragma once
#include <string>
#include <string_view>

namespace rig::kernel {

// The line that says why a build failed: the disk is full, else the first "file:line: error: …" of a
// compiler, else the first complaint of a linker or another tool, else make's own. "" where none is there.
std::string first_error(std::string_view log);

// Whether the log says that a disk was full.
bool disk_full(std::string_view log);

// The objects built so far: lines of make such as "  CC      kernel/fork.o".
std::size_t objects_built(std::string_view log);

}  // namespace rig::kernel
