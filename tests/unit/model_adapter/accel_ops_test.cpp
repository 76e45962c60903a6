// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/accel_ops.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <vector>

using namespace rig::model;
using Catch::Matchers::ContainsSubstring;

namespace {

char start, kick, mttcg, other;
void interrupt(void*, int) {}
std::int64_t clock_ns() { return 0; }

QemuSymbols symbols() {
  QemuSymbols s;
  s.rr_start_vcpu_thread = &start;
  s.rr_kick_vcpu_thread = &kick;
  s.mttcg_start_vcpu_thread = &mttcg;
  s.icount_handle_interrupt = interrupt;
  s.icount_get = clock_ns;
  return s;
}

void* const on_interrupt = reinterpret_cast<void*>(interrupt);
void* const on_clock = reinterpret_cast<void*>(clock_ns);

// AccelOpsClass of QEMU 10.0 (include/system/accel-ops.h) as single-threaded TCG with icount fills it:
// 12 words of ObjectClass, ops_init, cpus_are_resettable, cpu_reset_hold, then from create_vcpu_thread on.
std::vector<void*> table() {
  std::vector<void*> words(12, &other);
  for (void* word : {static_cast<void*>(&other), static_cast<void*>(nullptr), static_cast<void*>(&other)})
    words.push_back(word);
  words.push_back(&start);
  words.push_back(&kick);
  words.insert(words.end(), 6, nullptr);
  for (void* word : {on_interrupt, on_clock, static_cast<void*>(nullptr), on_clock}) words.push_back(word);
  words.insert(words.end(), 5, &other);  // the debugger's hooks
  return words;
}

}  // namespace

TEST_CASE("QEMU 10.0's table of TCG operations is recognised by what stands in it") {
  const auto search = find_accel_ops(table(), symbols());
  REQUIRE(search.fault.empty());
  CHECK(search.found.thread_is_idle == 17);
  CHECK(search.found.handle_interrupt == 23);
  CHECK(search.found.get_virtual_clock == 24);
  CHECK(search.found.get_elapsed_ticks == 26);
}

TEST_CASE("one thread a vCPU is refused with the option that mends it") {
  auto words = table();
  std::replace(words.begin(), words.end(), static_cast<void*>(&start), static_cast<void*>(&mttcg));
  CHECK_THAT(find_accel_ops(words, symbols()).fault, ContainsSubstring("thread=single"));
}

TEST_CASE("real time is refused with the option that mends it") {
  auto words = table();
  std::replace(words.begin(), words.end(), on_clock, static_cast<void*>(nullptr));
  CHECK_THAT(find_accel_ops(words, symbols()).fault, ContainsSubstring("-icount"));
}

TEST_CASE("a table laid out otherwise is refused, never guessed at") {
  const auto good = table();
  const std::size_t first = 15, last = 26;  // what is looked at
  for (std::size_t at = first; at <= last; ++at) {
    auto words = good;
    words[at] = words[at] == &other ? nullptr : &other;
    INFO("word " << at);
    CHECK_FALSE(find_accel_ops(words, symbols()).fault.empty());
  }
  auto longer = good;
  longer.insert(longer.begin() + 20, nullptr);
  CHECK_THAT(find_accel_ops(longer, symbols()).fault, ContainsSubstring("QEMU 10.0"));
}

TEST_CASE("a table that ends too early is refused") {
  const auto good = table();
  for (std::size_t size = 0; size < 27; ++size) {
    CHECK_FALSE(find_accel_ops(std::span<void* const>(good.data(), size), symbols()).fault.empty());
  }
}

TEST_CASE("a table that can be read in two ways is refused") {
  auto words = table();
  const auto again = table();
  words.insert(words.end(), again.begin(), again.end());
  CHECK_THAT(find_accel_ops(words, symbols()).fault, ContainsSubstring("two ways"));
}

TEST_CASE("every function that QEMU does not export is named") {
  QemuSymbols s;
  const auto missing = resolve(s, [](const char*) -> void* { return nullptr; });
  CHECK(missing.size() == 21);
  CHECK(std::find(missing.begin(), missing.end(), "current_cpu") != missing.end());
  const auto only =
      resolve(s, [](const char* name) -> void* { return std::string(name) == "icount_get" ? nullptr : &other; });
  CHECK(only == std::vector<std::string>{"icount_get"});
}

TEST_CASE("the function of several threads need not be there") {
  QemuSymbols s;
  CHECK(resolve(s, [](const char* name) -> void* {
          return std::string(name) == "mttcg_start_vcpu_thread" ? nullptr : &other;
        }).empty());
  CHECK(s.mttcg_start_vcpu_thread == nullptr);
  CHECK(s.rr_kick_vcpu_thread == &other);
}
