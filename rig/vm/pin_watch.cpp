// SPDX-License-Identifier: GPL-2.0-or-later
// The judgement: pure.
#include "rig/vm/pin_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace rig {
namespace {

bool inside(const std::vector<int>& part, const std::vector<int>& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

std::string cpus_word(const std::vector<int>& cpus) {
  return fmt::format("{} {}", cpus.size() == 1 ? "CPU" : "CPUs", format_cpu_list(cpus));
}

std::string name_of(const ThreadLook& thread) {
  return thread.vcpu >= 0 ? fmt::format("vCPU {}", thread.vcpu) : fmt::format("QEMU's thread '{}'", thread.name);
}

const ThreadLook* find(const PinLook* look, pid_t tid) {
  if (look == nullptr) return nullptr;
  const auto found =
      std::find_if(look->threads.begin(), look->threads.end(), [&](const ThreadLook& t) { return t.tid == tid; });
  return found == look->threads.end() ? nullptr : &*found;
}

std::uint64_t grown(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

void add_growth(ThreadsSeen& seen, const ThreadLook& from, const ThreadLook& to) {
  seen.voluntary_switches += grown(from.voluntary_switches, to.voluntary_switches);
  seen.involuntary_switches += grown(from.involuntary_switches, to.involuntary_switches);
  if (from.migrations && to.migrations) {
    seen.migrations += grown(*from.migrations, *to.migrations);
    seen.migrations_known = true;
  }
  if (from.ran && to.ran && from.waited && to.waited) {
    seen.ran += *to.ran - *from.ran;
    seen.waited += *to.waited - *from.waited;
    seen.times_known = true;
  }
}

std::optional<double> share(const std::optional<std::chrono::microseconds>& from,
                            const std::optional<std::chrono::microseconds>& to, std::chrono::nanoseconds elapsed) {
  if (!from || !to || elapsed.count() <= 0) return std::nullopt;
  const double part = std::chrono::duration<double>(*to - *from) / std::chrono::duration<double>(elapsed);
  return std::clamp(part, 0.0, 1.0);
}

}  // namespace

std::optional<std::string> pin_mismatch(const Pinning& wanted, const PinLook& now, const PinLook* before) {
  for (const ThreadLook& thread : now.threads) {
    const bool is_vcpu = thread.vcpu >= 0;
    if (is_vcpu && static_cast<std::size_t>(thread.vcpu) >= wanted.vcpus.size())
      return fmt::format("{}: no CPUs are given for it", name_of(thread));
    // What a vCPU's own thread starts has its CPUs: KVM's page recovery is a task of QEMU since Linux 6.14.
    if (!is_vcpu && std::find(wanted.vcpus.begin(), wanted.vcpus.end(), thread.allowed) != wanted.vcpus.end()) continue;
    const auto& cpus = is_vcpu ? wanted.vcpus[static_cast<std::size_t>(thread.vcpu)] : wanted.emulator;
    const auto fault = [&](const std::string& seen) {
      return fmt::format("{}: wanted on {}, {}", name_of(thread), cpus_word(cpus), seen);
    };
    // a vCPU's thread has exactly the CPUs asked for; another may have fewer, as QEMU's own threads choose
    if (is_vcpu ? thread.allowed != cpus : !inside(thread.allowed, cpus))
      return fault("may run on " + cpus_word(thread.allowed));
    if (thread.cpu >= 0 && !std::binary_search(cpus.begin(), cpus.end(), thread.cpu))
      return fault(fmt::format("ran on CPU {}", thread.cpu));
    // A thread of one CPU never migrates: it was elsewhere between two looks.
    const ThreadLook* earlier = find(before, thread.tid);
    if (is_vcpu && cpus.size() == 1 && earlier != nullptr && earlier->migrations && thread.migrations &&
        *thread.migrations > *earlier->migrations)
      return fault(fmt::format("moved {} times between two looks", *thread.migrations - *earlier->migrations));
  }
  return std::nullopt;
}

void PinWatch::see(PinLook look, bool working) {
  if (mismatch_.empty()) mismatch_ = pin_mismatch(wanted_, look, last_ ? &*last_ : nullptr).value_or("");
  if (working && !working_) {
    working_ = true;
    first_.reset();
    begun_.clear();
    latest_.clear();
    ran_on_.clear();
  }
  ++looks_;
  if (!first_) first_ = look;
  for (const ThreadLook& thread : look.threads) {
    begun_.emplace(thread.tid, thread);
    latest_[thread.tid] = thread;
    if (thread.cpu >= 0) ran_on_[thread.vcpu].push_back(thread.cpu);
  }
  last_ = std::move(look);
}

void PinWatch::fault(const std::string& mismatch) {
  if (mismatch_.empty()) mismatch_ = mismatch;
}

PinsSeen PinWatch::seen() const {
  PinsSeen seen{.mismatch = mismatch_, .looks = looks_, .vcpus = std::vector<ThreadsSeen>(wanted_.vcpus.size())};
  const auto slot = [&](int vcpu) -> ThreadsSeen* {
    if (vcpu < 0) return &seen.others;
    return static_cast<std::size_t>(vcpu) < seen.vcpus.size() ? &seen.vcpus[static_cast<std::size_t>(vcpu)] : nullptr;
  };
  for (const auto& [tid, from] : begun_) {
    if (ThreadsSeen* threads = slot(from.vcpu)) add_growth(*threads, from, latest_.at(tid));
  }
  for (auto [vcpu, cpus] : ran_on_) {
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    if (ThreadsSeen* threads = slot(vcpu)) threads->ran_on = std::move(cpus);
  }
  if (!first_ || !last_) return seen;
  const auto elapsed = last_->at - first_->at;
  seen.watched = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed);
  const HostLook &from = first_->host, &to = last_->host;
  if (from.steal && to.steal && from.ticks && to.ticks && *to.ticks > *from.ticks)
    seen.steal = static_cast<double>(grown(*from.steal, *to.steal)) / static_cast<double>(*to.ticks - *from.ticks);
  seen.cpu_pressure = share(from.cpu_pressure, to.cpu_pressure, elapsed);
  seen.memory_pressure = share(from.memory_pressure, to.memory_pressure, elapsed);
  seen.io_pressure = share(from.io_pressure, to.io_pressure, elapsed);
  return seen;
}

}  // namespace rig
