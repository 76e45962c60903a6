// SPDX-License-Identifier: GPL-2.0-or-later
// Where QEMU's class of translating memory regions ("iommu-memory-region") keeps its function translate.
// The class's layout is no interface: the place is found by what differs between that abstract class and
// those made from it, and never guessed.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rig::model {

struct TranslateSearch {
  std::size_t slot = 0;  // index of a word in the class
  std::string fault;     // why nothing was found, for people; empty where it was
};

// `parent`: the words of "iommu-memory-region"; `derived`: those of classes made from it. `region_bytes`: of
// the heap's block that holds the class "memory-region", which is the first part of each; a block has up to
// 15 bytes more than was asked for. is_code: whether a word is the address of code.
TranslateSearch find_translate(std::span<void* const> parent, const std::vector<std::span<void* const>>& derived,
                               std::size_t region_bytes, const std::function<bool(void*)>& is_code);

}  // namespace rig::model
