// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/clocks.h"

#include <algorithm>

namespace rig::model {

namespace {
// Quanta after which a woken vCPU that does not run is taken for halted.
constexpr Cycles patience = 4;
constexpr Cycles never = ~Cycles{0};
}  // namespace

Clocks::Clocks(unsigned cpus, Cycles quantum, Cycles start)
    : quantum_(quantum),
      shown_(start),
      now_(cpus, start),
      woken_at_(cpus, 0),
      idle_(cpus, 0),
      check_at_(cpus, 0),
      state_(cpus, CpuState::Halted) {
  state_.at(0) = CpuState::Busy;
}

// Of those busy or woken; `never` where there is none.
Cycles Clocks::slowest() const {
  Cycles least = never;
  for (std::size_t cpu = 0; cpu < now_.size(); ++cpu) {
    if (state_[cpu] == CpuState::Busy) least = std::min(least, now_[cpu]);
  }
  const Cycles busy = least;
  for (std::size_t cpu = 0; cpu < now_.size(); ++cpu) {
    if (state_[cpu] != CpuState::Woken) continue;
    const Cycles from = std::max(now_[cpu], woken_at_[cpu]);
    if (busy == never || busy <= from + patience * quantum_) least = std::min(least, from);
  }
  return least;
}

// Who is the slowest may have become another.
void Clocks::check_all() { std::fill(check_at_.begin(), check_at_.end(), 0); }

bool Clocks::must_yield(unsigned cpu) {
  const Cycles least = std::min(slowest(), now_[cpu]);
  const bool ahead = now_[cpu] > least + quantum_;
  check_at_[cpu] = ahead ? now_[cpu] + quantum_ / 8 : least + quantum_;
  if (ahead) ++yields_;
  return ahead;
}

void Clocks::halt(unsigned cpu) {
  state_[cpu] = CpuState::Halted;
  check_all();
}

void Clocks::wake(unsigned cpu, Cycles when) {
  if (state_[cpu] == CpuState::Busy) return;
  woken_at_[cpu] = state_[cpu] == CpuState::Woken ? std::min(woken_at_[cpu], when) : when;
  state_[cpu] = CpuState::Woken;
  check_all();
}

Cycles Clocks::resume(unsigned cpu, Cycles exit_cost) {
  if (state_[cpu] == CpuState::Busy) return 0;
  const Cycles from = state_[cpu] == CpuState::Woken ? std::max(now_[cpu], woken_at_[cpu]) : now_[cpu];
  const Cycles idle = from - now_[cpu];
  idle_[cpu] += idle;
  now_[cpu] = from + exit_cost;
  state_[cpu] = CpuState::Busy;
  check_all();
  return idle;
}

void Clocks::skip(Cycles cycles) {
  const Cycles to = *std::max_element(now_.begin(), now_.end()) + cycles;
  for (std::size_t cpu = 0; cpu < now_.size(); ++cpu) {
    idle_[cpu] += to - now_[cpu];
    now_[cpu] = to;
  }
  check_all();
}

Cycles Clocks::virtual_now() {
  Cycles now = slowest();
  if (now == never) now = *std::max_element(now_.begin(), now_.end());
  return shown_ = std::max(shown_, now);
}

void Clocks::reset_counters() {
  std::fill(idle_.begin(), idle_.end(), 0);
  yields_ = 0;
}

}  // namespace rig::model
