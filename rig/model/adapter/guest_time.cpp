// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/guest_time.h"

#include <algorithm>

namespace rig::model {
namespace {

using Wide = unsigned __int128;  // cycles times 1000 leave 64 bits within the hour at 4 GHz

}  // namespace

GuestTime::GuestTime(unsigned cpus, std::uint32_t mhz, Cycles quantum)
    : cpus_(cpus), mhz_(mhz), quantum_(quantum), known_(cpus), pending_(cpus), counted_from_(cpus),
      idle_at_end_(cpus) {}

std::int64_t GuestTime::to_ns(Cycles cycles) const {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(Wide{cycles} * 1000 / mhz_));
}

Cycles GuestTime::to_cycles(std::int64_t ns) const {
  return static_cast<Cycles>(Wide{static_cast<std::uint64_t>(ns)} * mhz_ / 1000);
}

Cycles GuestTime::to_cycles_up(std::int64_t ns) const {
  return static_cast<Cycles>((Wide{static_cast<std::uint64_t>(ns)} * mhz_ + 999) / 1000);
}

void GuestTime::begin(unsigned cpu, std::int64_t icount_ns, std::int64_t warps_ns) {
  shown_ns_ = plain_ns(icount_ns);
  clocks_.emplace(cpus_, quantum_, to_cycles_up(shown_ns_));
  if (cpu != 0) {
    clocks_->halt(0);
    clocks_->resume(cpu, 0);
  }
  warps_ns_ = warps_ns;
  std::fill(known_.begin(), known_.end(), false);
  known_[cpu] = true;
  std::fill(pending_.begin(), pending_.end(), 0);
  reset_counters();
}

void GuestTime::end(std::int64_t icount_ns) {
  Cycles latest = 0;
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) latest = std::max(latest, clocks_->now(cpu));
  // a cycle more in every case, so that rdtsc does not go back for rounding
  shown_ns_ = std::max(shown_ns_, to_ns(latest) + 1);
  offset_ns_ = shown_ns_ - icount_ns;
  clocks_.reset();
}

std::int64_t GuestTime::modelled_ns() {
  return shown_ns_ = std::max(shown_ns_, to_ns(clocks_->virtual_now()));
}

void GuestTime::wake(unsigned cpu, Cycles when) {
  if (busy(cpu)) {
    pending_[cpu] = std::max(pending_[cpu], when);
  } else {
    clocks_->wake(cpu, when);
    known_[cpu] = true;
  }
}

bool GuestTime::resume(unsigned cpu) {
  // the event that came while it was still busy, and then kept it from sleeping
  if (clocks_->state(cpu) == CpuState::Halted && pending_[cpu] > clocks_->now(cpu)) clocks_->wake(cpu, pending_[cpu]);
  const bool was_halted = known_[cpu];
  known_[cpu] = true;
  clocks_->resume(cpu, 0);
  return was_halted;
}

void GuestTime::all_idle() {
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
    if (clocks_->state(cpu) != CpuState::Halted) clocks_->halt(cpu);
    known_[cpu] = true;
  }
}

void GuestTime::note_warps(std::int64_t warps_ns) {
  if (warps_ns == warps_ns_) return;
  const std::int64_t to = modelled_ns() + (warps_ns - warps_ns_);
  warps_ns_ = warps_ns;
  const Cycles now = clocks_->virtual_now(), then = to_cycles_up(to);
  if (then > now) clocks_->skip(then - now);
}

void GuestTime::reset_counters() {
  clocks_->reset_counters();
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) counted_from_[cpu] = clocks_->now(cpu);
  std::fill(idle_at_end_.begin(), idle_at_end_.end(), 0);
}

void GuestTime::close_counters() {
  Cycles latest = 0;
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) latest = std::max(latest, clocks_->now(cpu));
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
    idle_at_end_[cpu] = busy(cpu) ? 0 : latest - clocks_->now(cpu);
  }
}

}  // namespace rig::model
