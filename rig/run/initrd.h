// SPDX-License-Identifier: GPL-2.0-or-later
// The initramfs of one guest: the image and, behind it, the script of its work.
#pragma once
#include <filesystem>
#include <string>

namespace rig {

// Two archives in one file: the kernel unpacks one after the other
// (Documentation/driver-api/early-userspace/buffer-format.rst). Readable for all, since QEMU may run as another user.
// Throws WorkError (a full disk).
void write_initrd(const std::filesystem::path& file, const std::filesystem::path& image, const std::string& script);

}  // namespace rig
