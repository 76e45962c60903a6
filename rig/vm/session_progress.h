// SPDX-License-Identifier: GPL-2.0-or-later
// What can be seen of a running guest from outside, and when it counts as silent.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace rig {

// The results file as it grows.
class ResultsWatch {
 public:
  explicit ResultsWatch(std::filesystem::path file) : file_(std::move(file)) {}
  void look();  // reads no more than the file's last bytes
  std::uint64_t bytes() const { return bytes_; }
  bool ended() const { return ended_; }  // it ends with a trailer that counts its bytes rightly

 private:
  std::filesystem::path file_;
  std::uint64_t bytes_ = 0;
  bool ended_ = false;
};

// One look at the guest.
struct Observation {
  std::chrono::nanoseconds host{0};             // since the session began
  std::uint64_t console = 0, results = 0;       // bytes so far
  std::optional<std::chrono::nanoseconds> cpu;  // QEMU's CPU time; nothing: not known
  std::optional<std::chrono::seconds> guest;    // the guest's own clock (virtual time); nothing: not known
};

// A guest lives while it writes: to its console until the first byte of its results, from then on to
// its results (a kernel that only repeats complaints on its console has hung).
//
// In real time it is silent when it has not written for the limit, on the host's clock; the agent's
// `beat` frames keep a working guest from that. In virtual time there are no beats, and host time
// says nothing on a busy host: there the limit is counted on the guest's own clock, and must be longer
// than the longest step. A guest in virtual time never rests (idle time is skipped), so a QEMU
// without CPU time for half a minute has stopped, whatever its clock says.
class SilenceWatch {
 public:
  enum class Time { Real, Virtual };
  static constexpr std::chrono::seconds rest{30};

  SilenceWatch(Time time, std::chrono::milliseconds limit) : time_(time), limit_(limit) {}
  bool silent(const Observation& now);

 private:
  Time time_;
  std::chrono::milliseconds limit_;    // 0: never silent
  std::optional<Observation> wrote_;   // when it last wrote
  std::optional<Observation> worked_;  // when its CPU time last grew
};

}  // namespace rig
