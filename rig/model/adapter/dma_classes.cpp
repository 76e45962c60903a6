// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/dma_classes.h"

#include <algorithm>

namespace rig::model {

TranslateSearch find_translate(std::span<void* const> parent, const std::vector<std::span<void* const>>& derived,
                               std::size_t region_bytes, const std::function<bool(void*)>& is_code) {
  TranslateSearch search;
  const auto fault = [&](const std::string& why) {
    search.fault = "QEMU's class of translating memory regions is not laid out as that of QEMU 10.0: " + why;
    return search;
  };
  if (derived.empty()) return fault("no class is made from it");
  std::size_t words = parent.size();
  for (const auto& one : derived) words = std::min(words, one.size());
  // translate is the first function that is the class's own, and every class made from it must have one
  std::size_t slot = 0;
  const auto everywhere = [&](std::size_t i) {
    return parent[i] == nullptr &&
           std::all_of(derived.begin(), derived.end(), [&](const auto& one) { return is_code(one[i]); });
  };
  while (slot < words && !everywhere(slot)) ++slot;
  if (slot == words) return fault("the classes made from it have no function in common");
  // it stands right behind the parent's part
  const std::size_t bytes = slot * sizeof(void*);
  if (bytes > region_bytes || bytes + 16 <= region_bytes)
    return fault("its first function is not where its own part begins");
  search.slot = slot;
  return search;
}

}  // namespace rig::model
