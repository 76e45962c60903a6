// SPDX-License-Identifier: GPL-2.0-or-later
// A resource that serves one transaction at a time, asked by CPUs whose clocks differ by up to a
// quantum: a transaction takes the first gap that is long enough from its own time on, so that none
// waits for what lies in its future because another CPU was simulated first.
#pragma once
#include <array>
#include <cstddef>

#include "rig/model/machine_spec.h"

namespace rig::model {

class Bus {
 public:
  // Takes the resource for so many cycles at `now` or later; how long it waited. 0 cycles: never waits.
  Cycles reserve(Cycles now, Cycles cycles);
  Cycles busy() const { return busy_; }  // cycles taken in all
  void reset_counters() { busy_ = 0; }

 private:
  struct Interval {
    Cycles begin, end;
  };
  void insert(std::size_t at, Interval interval);

  // Sorted, never touching each other. The oldest is forgotten when it is full: only what is older
  // than all the others can then be placed on top of it.
  std::array<Interval, 256> taken_{};
  std::size_t count_ = 0;
  Cycles busy_ = 0;
};

}  // namespace rig::model
