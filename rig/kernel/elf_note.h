// SPDX-License-Identifier: GPL-2.0-or-later
// What the files of a built kernel say about themselves. Bounded reads: the files may be anything.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace rig::kernel {

// Whether an ELF image carries the PVH entry point: a note "Xen" of type 18 (XEN_ELFNOTE_PHYS32_ENTRY),
// by which QEMU boots vmlinux without a boot loader.
bool has_pvh_note(const std::filesystem::path& vmlinux);

// The release in a bzImage's setup header ("6.1.0-50-cloud-amd64"), "" where it has none.
std::string bzimage_release(const std::filesystem::path& bzimage);

// Whether the file is a bzImage: "HdrS" at its place.
bool is_bzimage(const std::filesystem::path& file);
bool is_elf(const std::filesystem::path& file);

}  // namespace rig::kernel
