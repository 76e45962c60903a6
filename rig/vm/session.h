// SPDX-License-Identifier: GPL-2.0-or-later
// What libvirt's events say about one guest, from its event thread to the session's.
#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "rig/vm/vm.h"

namespace rig {

struct GuestEvents {
  bool stopped = false;
  int stopped_detail = -1;  // virDomainEventStoppedDetailType
  std::chrono::steady_clock::time_point stopped_at{};
  std::string shutdown_reason;  // QEMU's: "guest-shutdown", "guest-reset", "host-signal"
};

class EventBox {
 public:
  void stopped(int detail);
  void shut_down(const std::string& reason);                 // the first one counts: libvirt ends QEMU after it
  GuestEvents wait_for(std::chrono::milliseconds duration);  // returns early once stopped

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  GuestEvents events_;
};

// The boxes of the guests that run now, by domain name.
class EventBoxes {
 public:
  std::shared_ptr<EventBox> add(const std::string& domain);  // throws WorkError where the name is taken
  void remove(const std::string& domain);
  std::shared_ptr<EventBox> find(const std::string& domain);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<EventBox>> boxes_;
};

// "guest-reset" of QEMU's SHUTDOWN event's data ({"guest":true,"reason":"guest-reset"}); may be empty.
std::string shutdown_reason(const std::string& json);

// How the guest ended. `killed`: by rig, before it had ended by itself.
DomainEnd judge_end(const GuestEvents& events, bool killed);

}  // namespace rig
