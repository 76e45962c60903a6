// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/dma_classes.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace rig::model;
using Catch::Matchers::ContainsSubstring;

namespace {

char data, translate_a, translate_b, notify, replay;
bool is_code(void* word) { return word == &translate_a || word == &translate_b || word == &notify || word == &replay; }

// QEMU 10.0: ObjectClass has 12 words, of which some point to data; MemoryRegionClass adds none, and the
// class of translating regions begins with translate, get_min_page_size and notify_flag_changed (exec/memory.h).
constexpr std::size_t head = 12;
constexpr std::size_t head_block = 104;  // what malloc gives for 96 bytes
std::vector<void*> klass(void* translate, void* notify_changed) {
  std::vector<void*> words(head, nullptr);
  words[0] = &data;
  words.insert(words.end(), {translate, nullptr, notify_changed, nullptr, nullptr, nullptr, nullptr});
  return words;
}

TranslateSearch searched(const std::vector<void*>& parent, const std::vector<std::vector<void*>>& derived,
                         std::size_t region = head_block) {
  std::vector<std::span<void* const>> spans(derived.begin(), derived.end());
  return find_translate(parent, spans, region, is_code);
}

}  // namespace

TEST_CASE("translate is the first function that classes made from the abstract one have and it has not") {
  const auto found = searched(klass(nullptr, nullptr), {klass(&translate_a, &notify), klass(&translate_b, &notify)});
  CHECK(found.fault.empty());
  CHECK(found.slot == head);
}

TEST_CASE("Where the classes look otherwise nothing is guessed") {
  CHECK_THAT(searched(klass(nullptr, nullptr), {}).fault, ContainsSubstring("no class is made from it"));
  CHECK_THAT(searched(klass(nullptr, nullptr), {klass(nullptr, nullptr)}).fault,
             ContainsSubstring("no function in common"));
  // only notify is common: translate has gone elsewhere
  CHECK_THAT(searched(klass(nullptr, nullptr), {klass(&translate_a, &notify), klass(nullptr, &notify)}).fault,
             ContainsSubstring("not where its own part begins"));
  // the parent's part is larger, or smaller
  for (const std::size_t region : {std::size_t{136}, std::size_t{72}}) {
    CHECK_THAT(searched(klass(nullptr, nullptr), {klass(&translate_a, &notify)}, region).fault,
               ContainsSubstring("not where its own part begins"));
  }
  // the abstract class itself has one
  CHECK_FALSE(searched(klass(&translate_b, nullptr), {klass(&translate_a, nullptr)}).fault.empty());
}
