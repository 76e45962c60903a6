// SPDX-License-Identifier: GPL-2.0-or-later
// What became of a cell, for formats that have one verdict a test case.
#pragma once
#include <string>
#include <vector>

#include "rig/report/report.h"
#include "rig/report/section.h"
#include "rig/report/troubles.h"

namespace rig::report {

enum class CellEnd {
  Ok,       // every repetition ended ok
  Failed,   // some ended otherwise: in a panic, a timeout, a mismatch …
  Broken,   // what was missing was rig's or the host's: infrastructure, interrupted, not run
  Skipped,  // not meant to be run here
};

struct CellState {
  CellEnd end = CellEnd::Ok;
  bool timed_out = false;            // every failure was a timeout
  std::string message;               // "boots 1, 2: panic; boot 3: not run"; one line, printable; empty for Ok
  std::vector<std::string> details;  // lines: reasons and the ends of consoles; printable
};
// The troubles are those of this cell.
CellState state_of(const Lookup& lookup, const CellRecord& cell, const std::vector<const Trouble*>& troubles,
                   const Material& material);

// The states of all cells, in the plan's order.
std::vector<CellState> states_of(const Lookup& lookup, const Material& material);

// The lines of a console's end; printable.
std::vector<std::string> console_lines(const std::string& console);

// A cell's verdicts, a line each: "verdict: worse, rate 0.399 of debian-6.1's"; printable.
std::vector<std::string> verdict_lines(const Material& material, const std::string& cell);

// "rate 79571.5 trans/s, mean of 5 boots": what a cell gave of its section's metric; printable, may be empty.
std::string figure_words(const RunRecord& record, const Section& section, const Row& row);

}  // namespace rig::report
