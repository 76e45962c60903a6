// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/bus.h"

#include <algorithm>

namespace rig::model {

Cycles Bus::reserve(Cycles now, Cycles cycles) {
  if (cycles == 0) return 0;
  busy_ += cycles;
  // `at`: the first interval that ends after now. Most transactions are newer than all others.
  std::size_t at = count_;
  while (at > 0 && taken_[at - 1].end > now) --at;
  Cycles start = now;
  while (at < count_ && taken_[at].begin < start + cycles) start = std::max(start, taken_[at++].end);
  const Interval mine{start, start + cycles};
  const bool joins_before = at > 0 && taken_[at - 1].end == mine.begin;
  const bool joins_after = at < count_ && taken_[at].begin == mine.end;
  if (joins_before && joins_after) {
    taken_[at - 1].end = taken_[at].end;
    std::copy(taken_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
              taken_.begin() + static_cast<std::ptrdiff_t>(count_), taken_.begin() + static_cast<std::ptrdiff_t>(at));
    --count_;
  } else if (joins_before) {
    taken_[at - 1].end = mine.end;
  } else if (joins_after) {
    taken_[at].begin = mine.begin;
  } else {
    insert(at, mine);
  }
  return start - now;
}

void Bus::insert(std::size_t at, Interval interval) {
  const auto place = [&](std::size_t i) { return taken_.begin() + static_cast<std::ptrdiff_t>(i); };
  if (count_ == taken_.size()) {
    if (at == 0) return;  // older than all that is remembered
    std::copy(place(1), place(at), place(0));
    taken_[at - 1] = interval;
    return;
  }
  std::copy_backward(place(at), place(count_), place(count_ + 1));
  taken_[at] = interval;
  ++count_;
}

}  // namespace rig::model
