// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/troubles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/report/section.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

constexpr std::size_t most_reason_lines = 12;

const CellRecord* cell_of(const RunRecord& record, const std::string& id) {
  const auto found =
      std::find_if(record.cells.begin(), record.cells.end(), [&](const CellRecord& cell) { return cell.id == id; });
  return found == record.cells.end() ? nullptr : &*found;
}

std::string name_of_id(const RunRecord& record, const std::string& id) {
  const CellRecord* cell = cell_of(record, id);
  return cell != nullptr ? name_of(*cell) : "cell " + printable(id);
}

// The repetition's last attempt decides what became of it.
std::map<std::pair<std::string, int>, const AttemptRecord*> last_attempts(const RunRecord& record) {
  std::map<std::pair<std::string, int>, const AttemptRecord*> last;
  for (const auto& attempt : record.attempts) {
    auto& slot = last[{attempt.cell, attempt.repetition}];
    if (slot == nullptr || slot->outcome != Outcome::Ok) slot = &attempt;
  }
  return last;
}

// "boot 2", "boots 1, 3, 4".
std::string boots_text(const std::set<int>& repetitions) {
  std::string text = repetitions.size() == 1 ? "boot " : "boots ";
  for (const int repetition : repetitions)
    text += (repetition == *repetitions.begin() ? "" : ", ") + std::to_string(repetition + 1);
  return text;
}

// A reason may have several lines (a compiler's, a kernel's).
std::string reason_text(const std::string& reason, std::size_t width) {
  std::string out;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < reason.size();) {
    const auto end = std::min(reason.find('\n', at), reason.size());
    if (++lines > most_reason_lines) return out + "      ...\n";
    out += "      " + wrap(printable(std::string_view(reason).substr(at, end - at)), width - 6, 6) + "\n";
    at = end + 1;
  }
  return out;
}

// Repetitions without any attempt. A cell that was skipped was not meant to be run.
std::set<int> never_run(const RunRecord& record, const CellRecord& cell) {
  std::set<int> missing;
  for (int repetition = 0; repetition < record.boots; ++repetition) missing.insert(repetition);
  for (const auto& attempt : record.attempts) {
    if (attempt.cell != cell.id) continue;
    if (attempt.outcome == Outcome::Skipped) return {};
    missing.erase(attempt.repetition);
  }
  return missing;
}

struct Trouble {
  const AttemptRecord* first = nullptr;
  std::set<int> repetitions;
  bool tried_again = false, mended = false;
};

// Digits as '#': notes that differ only in their figures are of one kind.
std::string kind_of_note(const std::string& note) {
  std::string out;
  for (const char c : note) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

// What was not booted, by its reason: a kernel that is wrong on a machine may take many cells with it.
std::string skipped_text(const RunRecord& record, std::size_t width) {
  struct Skipped {
    std::string reason;
    std::set<std::string> cells;
    std::set<int> repetitions;
    std::size_t boots = 0;
  };
  std::vector<Skipped> all;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome != Outcome::Skipped) continue;
    auto same = std::find_if(all.begin(), all.end(), [&](const Skipped& s) { return s.reason == attempt.reason; });
    if (same == all.end()) same = all.insert(all.end(), Skipped{attempt.reason, {}, {}});
    same->cells.insert(attempt.cell);
    same->repetitions.insert(attempt.repetition);
    ++same->boots;
  }
  std::string out;
  for (const auto& one : all) {
    const std::string who = one.cells.size() == 1
                                ? name_of_id(record, *one.cells.begin()) + ", " + boots_text(one.repetitions)
                                : fmt::format("{} cells, {} boots", one.cells.size(), one.boots);
    out += "  " + wrap(who + ": skipped", width - 2, 4) + "\n";
    if (one.reason != to_string(Outcome::Skipped)) out += reason_text(one.reason, width);
  }
  return out;
}

}  // namespace

std::string troubles_text(const RunRecord& record, std::size_t width) {
  const auto last = last_attempts(record);
  std::vector<Trouble> troubles;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome == Outcome::Ok || attempt.outcome == Outcome::Skipped) continue;
    const AttemptRecord* final_one = last.at({attempt.cell, attempt.repetition});
    const bool again = final_one != &attempt, mended = again && final_one->outcome == Outcome::Ok;
    const auto same = std::find_if(troubles.begin(), troubles.end(), [&](const Trouble& trouble) {
      return trouble.first->cell == attempt.cell && trouble.first->outcome == attempt.outcome &&
             trouble.first->reason == attempt.reason && trouble.tried_again == again && trouble.mended == mended;
    });
    if (same == troubles.end())
      troubles.push_back({&attempt, {attempt.repetition}, again, mended});
    else
      same->repetitions.insert(attempt.repetition);
  }
  std::string out;
  for (const auto& trouble : troubles) {
    const char* after = trouble.mended ? " (tried again: ok)" : trouble.tried_again ? " (tried again)" : "";
    out += "  " +
           wrap(fmt::format("{}, {}: {}{}", name_of_id(record, trouble.first->cell), boots_text(trouble.repetitions),
                            to_string(trouble.first->outcome), after),
                width - 2, 4) +
           "\n";
    if (trouble.first->reason != to_string(trouble.first->outcome)) out += reason_text(trouble.first->reason, width);
    const bool peers = to_string(trouble.first->outcome).starts_with("peer-");
    out += fmt::format("      files: cells/{}/{}.{}{}\n", printable(trouble.first->cell), trouble.first->repetition,
                       trouble.first->attempt, peers ? "/peer" : "");
  }
  out += skipped_text(record, width);
  std::string unrun;
  for (const auto& cell : record.cells) {
    const auto missing = never_run(record, cell);
    if (!missing.empty()) unrun += "  " + wrap(name_of(cell) + ": " + boots_text(missing), width - 2, 4) + "\n";
  }
  return (out.empty() ? "" : "\nFailed or skipped\n" + out) + (unrun.empty() ? "" : "\nNot run\n" + unrun);
}

std::string notes_text(const RunRecord& record, std::size_t width) {
  // Notes of one kind in one cell are shown once, with how many boots had them.
  struct Note {
    std::string cell, kind, text;
    std::set<int> repetitions;
  };
  std::vector<Note> notes;
  for (const auto& attempt : record.attempts) {
    for (const auto& text : attempt.notes) {
      const std::string kind = kind_of_note(text);
      const auto same = std::find_if(notes.begin(), notes.end(),
                                     [&](const Note& note) { return note.cell == attempt.cell && note.kind == kind; });
      if (same == notes.end())
        notes.push_back({attempt.cell, kind, text, {attempt.repetition}});
      else
        same->repetitions.insert(attempt.repetition);
    }
  }
  // By cell in the plan's order, as in the tables; execution is shuffled.
  const auto place = [&](const std::string& id) {
    const CellRecord* cell = cell_of(record, id);
    return cell != nullptr ? cell - record.cells.data() : static_cast<std::ptrdiff_t>(record.cells.size());
  };
  std::stable_sort(notes.begin(), notes.end(),
                   [&](const Note& a, const Note& b) { return place(a.cell) < place(b.cell); });
  std::string out;
  std::string before;
  for (const auto& note : notes) {
    if (note.cell != before) out += "  " + wrap(name_of_id(record, note.cell), width - 2, 4) + "\n";
    before = note.cell;
    std::string text = printable(note.text);
    if (note.repetitions.size() > 1) text += fmt::format(" (and the like in {} boots)", note.repetitions.size());
    out += "    " + wrap(text, width - 4, 6) + "\n";
  }
  return out.empty() ? "" : "\nNotes\n" + out;
}

std::string tally_text(const RunRecord& record) {
  const auto last = last_attempts(record);
  std::map<Outcome, std::size_t> counts;
  for (const auto& [key, attempt] : last) ++counts[attempt->outcome];
  const std::size_t planned = record.cells.size() * static_cast<std::size_t>(std::max(record.boots, 0));
  std::string text =
      fmt::format("{} {}, {} {}: {} ok", record.cells.size(), record.cells.size() == 1 ? "cell" : "cells", planned,
                  planned == 1 ? "boot" : "boots", counts[Outcome::Ok]);
  for (const auto& [outcome, count] : counts) {
    if (outcome != Outcome::Ok) text += fmt::format(", {} {}", count, to_string(outcome));
  }
  std::size_t missing = 0;
  for (const auto& cell : record.cells) missing += never_run(record, cell).size();
  if (missing > 0) text += fmt::format(", {} not run", missing);
  if (record.attempts.size() > last.size()) {
    const auto again = record.attempts.size() - last.size();
    text += fmt::format("; {} {} tried again", again, again == 1 ? "attempt was" : "attempts were");
  }
  return text + ".";
}

}  // namespace rig::report
