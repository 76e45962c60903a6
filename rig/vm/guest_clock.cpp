// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/guest_clock.h"

#include <libvirt/libvirt-qemu.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>

#include "rig/base/units.h"

namespace rig {
namespace {

// The integer behind "KEY": in a flat JSON object.
std::optional<int> member(std::string_view json, std::string_view key) {
  const std::string name = "\"" + std::string(key) + "\":";
  std::size_t at = json.find(name);
  if (at == std::string_view::npos) return {};
  at = json.find_first_not_of(' ', at + name.size());
  if (at == std::string_view::npos) return {};
  const auto value = parse_integer(json.substr(at, json.find_first_of(",} ", at) - at));
  if (!value || *value < 0 || *value > 100000) return {};
  return static_cast<int>(*value);
}

}  // namespace

std::optional<std::int64_t> parse_rtc_answer(std::string_view json) {
  using namespace std::chrono;
  const auto year_member = member(json, "tm_year"), mon = member(json, "tm_mon"), mday = member(json, "tm_mday");
  const auto hour = member(json, "tm_hour"), min = member(json, "tm_min"), sec = member(json, "tm_sec");
  if (!year_member || !mon || !mday || !hour || !min || !sec) return {};
  const year_month_day date{year{*year_member + 1900}, month{static_cast<unsigned>(*mon) + 1},
                            day{static_cast<unsigned>(*mday)}};
  if (!date.ok()) return {};
  return duration_cast<seconds>(sys_days{date}.time_since_epoch() + hours{*hour} + minutes{*min} + seconds{*sec})
      .count();
}

GuestClock::GuestClock(virDomain* domain)
    : thread_([this, domain](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          ask(domain);
          wake.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
        }
      }) {}

void GuestClock::ask(virDomain* domain) {
  constexpr const char* question = R"({"execute":"qom-get","arguments":{"path":"/machine","property":"rtc-time"}})";
  char* answer = nullptr;
  if (virDomainQemuMonitorCommand(domain, question, &answer, 0) != 0) return;
  if (const auto seconds = parse_rtc_answer(answer)) seconds_ = *seconds;
  std::free(answer);
}

std::optional<std::chrono::seconds> GuestClock::now() const {
  const std::int64_t seconds = seconds_;
  if (seconds == unknown) return {};
  return std::chrono::seconds(seconds);
}

}  // namespace rig
