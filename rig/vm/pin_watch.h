// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a pinned guest's threads are where they should be, and what they met there: looks at /proc (an
// effect), and their judgement (pure).
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rig/vm/vm.h"

namespace rig {

struct ThreadLook {
  pid_t tid = 0;
  int vcpu = -1;             // -1: none, one of QEMU's other threads
  std::string name;          // "CPU 1/TCG"
  std::vector<int> allowed;  // the CPUs it may run on
  int cpu = -1;              // the one it ran on last
  std::optional<std::uint64_t> migrations;
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;
  std::optional<std::chrono::nanoseconds> ran, waited;
};

// Counters of the host from its start.
struct HostLook {
  std::optional<std::uint64_t> steal, ticks;  // of the CPUs asked about: stolen, all
  std::optional<std::chrono::microseconds> cpu_pressure, memory_pressure, io_pressure;
};

struct PinLook {
  std::chrono::nanoseconds at{0};  // of a clock that does not jump
  std::vector<ThreadLook> threads;
  HostLook host;
};

// Reads proc (a test may give a tree like it). vcpus: their thread ids, by number; cpus: whose steal counts.
// Threads that end meanwhile are left out.
PinLook look_at(const std::filesystem::path& proc, pid_t qemu, const std::vector<pid_t>& vcpus,
                const std::vector<int>& cpus, std::chrono::nanoseconds at);

// Counters of /proc's texts; nothing where the text does not have them.
std::optional<std::uint64_t> counter_after(std::string_view text, std::string_view name);  // "name<blanks or :>N"
std::optional<int> last_cpu(std::string_view stat);                                        // field 39 of /proc/PID/stat
std::optional<std::chrono::microseconds> pressure_total(std::string_view text);            // the line "some"
void add_steal(HostLook& host, std::string_view stat, const std::vector<int>& cpus);       // of /proc/stat

// The first thread that is not where the pinning wants it: its CPUs are others than asked for, or it ran on
// one outside them, or (with an earlier look) was moved to and fro between the two.
std::optional<std::string> pin_mismatch(const Pinning& wanted, const PinLook& now, const PinLook* before);

// Looks in their order, put together.
class PinWatch {
 public:
  explicit PinWatch(Pinning wanted) : wanted_(std::move(wanted)) {}
  // working: the guest's work has begun; what was counted before it is forgotten then, but no mismatch.
  void see(PinLook look, bool working);
  void fault(const std::string& mismatch);  // what another source (libvirt) says of the placement
  bool failed() const { return !mismatch_.empty(); }
  PinsSeen seen() const;

 private:
  Pinning wanted_;
  std::string mismatch_;
  bool working_ = false;
  int looks_ = 0;
  std::optional<PinLook> first_, last_;
  std::map<pid_t, ThreadLook> begun_, latest_;  // by thread: when first and when last seen
  std::map<int, std::vector<int>> ran_on_;      // by vCPU
};

}  // namespace rig
