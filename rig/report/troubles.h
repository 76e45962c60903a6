// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that did not end ok, what was never run, and the notes.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "rig/report/lookup.h"

namespace rig::report {

// Attempts of one cell that ended the same way for the same reason.
struct Trouble {
  const AttemptRecord* first = nullptr;
  std::set<int> repetitions;
  std::size_t attempts = 1;                  // of a repetition there may be several
  bool tried_again = false, mended = false;  // by a later attempt; that ended ok
};
std::vector<Trouble> troubles_of(const Lookup& lookup);                   // in order of execution
std::string trouble_title(const Lookup& lookup, const Trouble& trouble);  // "CELL, boots 1, 3: panic"
std::vector<std::string> reason_lines(const std::string& reason);         // printable, the first few

// The repetition's last attempt decides what became of it; in the cell's order of repetitions.
std::vector<const AttemptRecord*> last_attempts(const Lookup& lookup, const std::string& cell);

// Repetitions without any attempt. A cell that was skipped was not meant to be run.
std::set<int> never_run(const Lookup& lookup, const CellRecord& cell);
std::string boots_text(const std::set<int>& repetitions);  // "boot 2", "boots 1, 3, 4"

// Notes of one kind in one cell, told once; and samples that are no figures. In the plan's order.
struct CellNotes {
  std::string cell;  // its name; printable
  std::vector<std::string> notes;
};
std::vector<CellNotes> notes_of(const Lookup& lookup);

std::string troubles_text(const Lookup& lookup, std::size_t width);  // empty where all is well
std::string notes_text(const Lookup& lookup, std::size_t width);     // empty where there are none
// That boots are still to run; empty where none is. Such a run is under way, or was ended.
std::string unfinished_words(const Lookup& lookup);
std::string tally_text(const Lookup& lookup);  // "8 cells, 40 boots: 38 ok, 1 panic, 1 not run"

}  // namespace rig::report
