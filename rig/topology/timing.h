// SPDX-License-Identifier: GPL-2.0-or-later
// How long things take on a machine, for the modelled mode: numbers with unit, source and uncertainty,
// under the paths of a topology's `timing:` ("fsb.cache_to_cache"). A value: no effects.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace rig {

enum class TimingUnit { Cycles, Nanoseconds, Percent, MegaTransfers };
std::string_view to_string(TimingUnit unit);  // "cycles", "ns", "%", "MT/s"

struct Quantity {
  double value = 0;
  TimingUnit unit = TimingUnit::Cycles;
  double low = 0, high = 0;  // the range in which the true value is taken to lie, in the same unit
  std::string source;        // where the number is from; empty for one set in an experiment
  std::string fitted;        // the published figure it was fitted to; empty: to none
  bool operator==(const Quantity&) const = default;
};

enum class TimingKind {
  Time,            // cycles of the core, or ns
  PerInstruction,  // cycles of the core an instruction, on average
  Part,            // per cent
  Rate,            // transfers on a bus
};

struct TimingField {
  std::string_view path;  // group.name
  TimingKind kind;
  std::string_view help;
};

// Every path there is, a group's together.
std::span<const TimingField> timing_fields();
const TimingField* find_timing_field(std::string_view path);  // null where there is none

struct Timing {
  std::map<std::string, Quantity, std::less<>> values;  // by path
  bool passes_clean_lines = false;  // an unmodified line in another outermost cache comes from there, not from memory
  bool operator==(const Timing&) const = default;

  const Quantity* find(std::string_view path) const;
};

// The quantity in cycles of a core of this clock (MHz); per cent and transfers as they are.
double in_cycles(const Quantity& quantity, int mhz);

}  // namespace rig
