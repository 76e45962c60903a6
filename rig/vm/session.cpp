// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/session.h"

#include <libvirt/libvirt.h>

#include "rig/base/error.h"

namespace rig {

void EventBox::stopped(int detail) {
  const std::lock_guard lock(mutex_);
  events_.stopped = true;
  events_.stopped_detail = detail;
  events_.stopped_at = std::chrono::steady_clock::now();
  changed_.notify_all();
}

void EventBox::shut_down(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (events_.shutdown_reason.empty()) events_.shutdown_reason = reason;
}

GuestEvents EventBox::wait_for(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [this] { return events_.stopped; });
  return events_;
}

std::shared_ptr<EventBox> EventBoxes::add(const std::string& domain) {
  const std::lock_guard lock(mutex_);
  auto [it, fresh] = boxes_.try_emplace(domain, nullptr);
  if (!fresh) throw WorkError("a guest named " + domain + " runs already");
  it->second = std::make_shared<EventBox>();
  return it->second;
}

void EventBoxes::remove(const std::string& domain) {
  const std::lock_guard lock(mutex_);
  boxes_.erase(domain);
}

std::shared_ptr<EventBox> EventBoxes::find(const std::string& domain) {
  const std::lock_guard lock(mutex_);
  const auto it = boxes_.find(domain);
  return it == boxes_.end() ? nullptr : it->second;
}

std::string shutdown_reason(const std::string& json) {
  constexpr std::string_view key = "\"reason\":";
  std::size_t at = json.find(key);
  if (at == std::string::npos) return {};
  at = json.find('"', at + key.size());
  if (at == std::string::npos) return {};
  const std::size_t end = json.find('"', at + 1);
  return end == std::string::npos ? std::string() : json.substr(at + 1, end - at - 1);
}

DomainEnd judge_end(const GuestEvents& events, bool killed) {
  // A guest that reset itself panicked (panic=-1) or lost its way (triple fault); libvirt calls that
  // a shutdown, QEMU does not.
  if (events.shutdown_reason == "guest-reset" || events.shutdown_reason == "guest-panic") return DomainEnd::Crashed;
  if (events.shutdown_reason == "guest-shutdown") return DomainEnd::PowerOff;
  if (killed) return DomainEnd::Killed;
  switch (events.stopped_detail) {
    case VIR_DOMAIN_EVENT_STOPPED_CRASHED:
      return DomainEnd::Crashed;
    case VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN:
      // QEMU ended on a signal that was not ours
      return events.shutdown_reason.empty() ? DomainEnd::PowerOff : DomainEnd::Failed;
    default:
      return DomainEnd::Failed;
  }
}

}  // namespace rig
