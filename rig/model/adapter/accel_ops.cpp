// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/accel_ops.h"

#include <algorithm>
#include <cstring>

namespace rig::model {
namespace {

template <typename Function>
void* word_of(Function* function) {
  void* word;
  std::memcpy(&word, &function, sizeof word);
  return word;
}

bool holds(std::span<void* const> words, void* word) {
  return word != nullptr && std::find(words.begin(), words.end(), word) != words.end();
}

std::string why_not(std::span<void* const> words, const QemuSymbols& s) {
  if (holds(words, s.mttcg_start_vcpu_thread)) {
    return "QEMU runs one thread a vCPU; the model needs -accel tcg,thread=single";
  }
  if (!holds(words, s.rr_start_vcpu_thread)) return "QEMU's TCG operations do not run all vCPUs on one thread";
  if (!holds(words, word_of(s.icount_get))) return "virtual time is off; the model needs -icount shift=N,sleep=off";
  return "QEMU's table of TCG operations is not laid out as that of QEMU 10.0";
}

}  // namespace

AccelOpsSearch find_accel_ops(std::span<void* const> words, const QemuSymbols& s) {
  // start and kick of vCPU threads, is-idle, five operations that synchronise (none of TCG's), …
  void* const pattern[] = {s.rr_start_vcpu_thread, s.rr_kick_vcpu_thread, nullptr, nullptr, nullptr, nullptr,
                           nullptr, nullptr, word_of(s.icount_handle_interrupt), word_of(s.icount_get), nullptr,
                           word_of(s.icount_get)};
  constexpr std::size_t idle = 2, interrupt = 8, clock = 9, ticks = 11;
  AccelOpsSearch search;
  const auto first = std::search(words.begin(), words.end(), std::begin(pattern), std::end(pattern));
  if (first == words.end()) {
    search.fault = why_not(words, s);
    return search;
  }
  if (std::search(first + 1, words.end(), std::begin(pattern), std::end(pattern)) != words.end()) {
    search.fault = "QEMU's table of TCG operations can be read in two ways";
    return search;
  }
  const auto at = static_cast<std::size_t>(first - words.begin());
  search.found = {at + idle, at + interrupt, at + clock, at + ticks};
  return search;
}

}  // namespace rig::model
