// SPDX-License-Identifier: GPL-2.0-or-later
// One cache: sets of ways, least recently used replacement, a MESI state a line.
#pragma once
#include <cstdint>
#include <vector>

namespace rig::model {

enum class State : std::uint8_t { Invalid = 0, Shared = 1, Exclusive = 2, Modified = 3 };

using Line = std::uint64_t;  // physical address / bytes of a line
using Slot = std::uint32_t;  // set × ways + way
inline constexpr Slot no_slot = ~Slot{0};

// A way is one word: line and state together, so that one comparison finds a line in a valid state.
class CacheArray {
 public:
  CacheArray(std::uint32_t sets, std::uint32_t ways)
      : mask_(sets - 1), ways_(ways), words_(std::size_t{sets} * ways), stamps_(words_.size()) {}

  // The state, if the slot holds that line; else something above 3. Invalid only for a line that was
  // there and is no more.
  std::uint64_t state_if(Slot slot, Line line) const { return words_[slot] ^ (line << 2); }

  Slot find(Line line) const {
    const Slot first = first_of(line);
    for (Slot slot = first; slot < first + ways_; ++slot) {
      const std::uint64_t state = state_if(slot, line);
      if (state - 1 < 3) return slot;
    }
    return no_slot;
  }
  // An empty way of the line's set, or the least recently used.
  Slot victim(Line line) const {
    const Slot first = first_of(line);
    Slot best = first;
    for (Slot slot = first; slot < first + ways_; ++slot) {
      if (state(slot) == State::Invalid) return slot;
      if (stamps_[slot] < stamps_[best]) best = slot;
    }
    return best;
  }
  State state(Slot slot) const { return static_cast<State>(words_[slot] & 3); }
  Line line(Slot slot) const { return words_[slot] >> 2; }
  void set_state(Slot slot, State state) { words_[slot] = (words_[slot] & ~std::uint64_t{3}) | std::uint64_t(state); }
  void put(Slot slot, Line line, State state) {
    words_[slot] = (line << 2) | std::uint64_t(state);
    touch(slot);
  }
  void touch(Slot slot) { stamps_[slot] = ++clock_; }

 private:
  Slot first_of(Line line) const { return (static_cast<Slot>(line) & mask_) * ways_; }

  Slot mask_, ways_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> stamps_;
};

}  // namespace rig::model
