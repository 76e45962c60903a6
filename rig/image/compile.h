// SPDX-License-Identifier: GPL-2.0-or-later
// The programs that an image compiles from source packages, statically against musl.
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/debian/debian.h"
#include "rig/image/image.h"

namespace rig {

// What the programs' bytes depend on beside their sources: the compiler's version, and musl by what an
// empty program becomes.
// Throws HostLacks where musl-gcc is missing.
std::string musl_identity(std::stop_token stop);

// The programs of the definition and the licences of their sources, unpacked and compiled below work. The
// same sources give the same bytes, wherever work is. Throws InputError for a file that a source lacks,
// WorkError with the compiler's words.
std::vector<CpioEntry> compile_programs(DebianArchive& archive, const ImageSpec& spec,
                                        const std::vector<DebianPackage>& sources, const std::filesystem::path& work,
                                        std::stop_token stop);

}  // namespace rig
