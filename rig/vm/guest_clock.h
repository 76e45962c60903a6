// SPDX-License-Identifier: GPL-2.0-or-later
// The clock of a guest in virtual time, asked of QEMU about once a second. From a thread of its own:
// a QEMU that is stuck never answers, and the session must be able to end it.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>

#include "rig/vm/libvirt_handles.h"

namespace rig {

// The instant in QEMU's answer to `qom-get /machine rtc-time`, in seconds since 1970; nothing where
// the answer is not one.
std::optional<std::int64_t> parse_rtc_answer(std::string_view json);

class GuestClock {
 public:
  // The domain's handle must outlive it, and the domain must have ended before the destructor runs.
  explicit GuestClock(virDomain* domain);
  ~GuestClock() = default;
  std::optional<std::chrono::seconds> now() const;

 private:
  void ask(virDomain* domain);
  static constexpr std::int64_t unknown = INT64_MIN;
  std::atomic<std::int64_t> seconds_{unknown};
  std::jthread thread_;
};

}  // namespace rig
