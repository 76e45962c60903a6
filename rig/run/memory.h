// SPDX-License-Identifier: GPL-2.0-or-later
// What of this host can back a guest's memory.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>

namespace rig {

struct MemoryMeans {
  std::uint64_t available = 0;                   // bytes that programs can have without swapping
  std::uint64_t huge_page = 0;                   // bytes of the host's default huge page; 0: none, or no right to them
  std::map<unsigned, std::uint64_t> huge_pages;  // free ones by node
  bool may_lock = false;                         // QEMU's memory can be kept from being swapped out
};

// Of proc and sys below root. Rights are those of this process: libvirt gives huge pages to root's guests alone.
MemoryMeans survey_memory(const std::filesystem::path& root = "/");

}  // namespace rig
