// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "rig/record/record.h"

namespace rig {
namespace {

constexpr std::pair<Outcome, std::string_view> names[] = {
    {Outcome::Ok, "ok"},
    {Outcome::BootFailed, "boot-failed"},
    {Outcome::Panic, "panic"},
    {Outcome::Hang, "hang"},
    {Outcome::Timeout, "timeout"},
    {Outcome::BenchmarkFailed, "benchmark-failed"},
    {Outcome::TopologyMismatch, "topology-mismatch"},
    {Outcome::PlacementMismatch, "placement-mismatch"},
    {Outcome::Truncated, "truncated"},
    {Outcome::Infrastructure, "infrastructure"},
    {Outcome::Interrupted, "interrupted"},
    {Outcome::Skipped, "skipped"},
    {Outcome::PeerBootFailed, "peer-boot-failed"},
    {Outcome::PeerPanic, "peer-panic"},
    {Outcome::PeerHang, "peer-hang"},
    {Outcome::PeerTimeout, "peer-timeout"},
    {Outcome::PeerFailed, "peer-failed"},
    {Outcome::PeerTopologyMismatch, "peer-topology-mismatch"},
    {Outcome::PeerTruncated, "peer-truncated"},
};

}  // namespace

std::string to_string(Outcome outcome) {
  for (const auto& [value, name] : names) {
    if (value == outcome) return std::string(name);
  }
  return "outcome-" + std::to_string(static_cast<int>(outcome));
}

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace rig
