// SPDX-License-Identifier: GPL-2.0-or-later
// A finished kernel's directory in the cache, and the record beside the images that describes it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "rig/kernel/kernel.h"

namespace rig::kernel {

// Names in the directory. All but bzImage and record may be absent.
inline constexpr const char* bzimage_name = "bzImage";
inline constexpr const char* vmlinux_name = "vmlinux";
inline constexpr const char* config_name = "config";
inline constexpr const char* log_name = "log";
inline constexpr const char* record_name = "record";

// Writes the record of an artifact whose files lie in directory; also makes the directory and its files
// readable for all (libvirt's QEMU runs as its own user).
void seal_artifact(const std::filesystem::path& directory, const KernelArtifact& artifact);

// The artifact in a directory; nothing where it is not there or damaged (a file missing, of another size or
// with other bytes than recorded). The bytes are read again only after a file's times have changed.
std::optional<KernelArtifact> load_artifact(const std::filesystem::path& directory);

}  // namespace rig::kernel
