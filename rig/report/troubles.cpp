// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/troubles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "rig/report/section.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

constexpr std::size_t most_reason_lines = 12;
constexpr std::size_t most_listed_boots = 20;

std::string name_of_id(const Lookup& lookup, const std::string& id) {
  const CellRecord* cell = lookup.cell(id);
  return cell != nullptr ? name_of(*cell) : "cell " + printable(id);
}

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
std::string skipped_text(const Lookup& lookup, std::size_t width) {
  struct Skipped {
    std::string reason;
    std::set<std::string> cells;
    std::set<int> repetitions;
    std::size_t boots = 0;
  };
  std::vector<Skipped> all;
  for (const auto& attempt : lookup.record().attempts) {
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
                                ? name_of_id(lookup, *one.cells.begin()) + ", " + boots_text(one.repetitions)
                                : fmt::format("{} cells, {} boots", one.cells.size(), one.boots);
    out += "  " + wrap(who + ": skipped", width - 2, 4) + "\n";
    if (one.reason != to_string(Outcome::Skipped)) {
      for (const auto& line : reason_lines(one.reason)) out += "      " + wrap(line, width - 6, 6) + "\n";
    }
  }
  return out;
}

}  // namespace

std::vector<const AttemptRecord*> last_attempts(const Lookup& lookup, const std::string& cell) {
  std::map<int, const AttemptRecord*> last;
  for (const auto* attempt : lookup.attempts(cell)) {
    auto& slot = last[attempt->repetition];
    if (slot == nullptr || slot->outcome != Outcome::Ok) slot = attempt;
  }
  std::vector<const AttemptRecord*> out;
  for (const auto& [repetition, attempt] : last) out.push_back(attempt);
  return out;
}

std::string boots_text(const std::set<int>& repetitions) {
  std::string text = repetitions.size() == 1 ? "boot " : "boots ";
  std::size_t listed = 0;
  for (const int repetition : repetitions) {
    if (++listed > most_listed_boots) return text + fmt::format(" and {} more", repetitions.size() - most_listed_boots);
    text += (listed == 1 ? "" : ", ") + std::to_string(repetition + 1);
  }
  return text;
}

std::vector<std::string> reason_lines(const std::string& reason) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < reason.size();) {
    const auto end = std::min(reason.find('\n', at), reason.size());
    if (lines.size() == most_reason_lines) {
      lines.emplace_back("...");
      break;
    }
    lines.push_back(printable(std::string_view(reason).substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

std::set<int> never_run(const Lookup& lookup, const CellRecord& cell) {
  std::set<int> missing;
  for (int repetition = 0; repetition < lookup.record().boots; ++repetition) missing.insert(repetition);
  for (const auto* attempt : lookup.attempts(cell.id)) {
    if (attempt->outcome == Outcome::Skipped) return {};
    missing.erase(attempt->repetition);
  }
  return missing;
}

std::vector<Trouble> troubles_of(const Lookup& lookup) {
  const RunRecord& record = lookup.record();
  std::map<std::pair<std::string, int>, const AttemptRecord*> last;
  for (const auto& cell : record.cells) {
    const auto& attempts = lookup.attempts(cell.id);
    if (std::all_of(attempts.begin(), attempts.end(), [](const auto* one) { return one->outcome == Outcome::Ok; }))
      continue;
    for (const auto* attempt : last_attempts(lookup, cell.id)) last[{cell.id, attempt->repetition}] = attempt;
  }
  std::vector<Trouble> troubles;
  std::map<std::tuple<std::string, Outcome, std::string, bool, bool>, std::size_t> places;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome == Outcome::Ok) continue;
    const auto found = last.find({attempt.cell, attempt.repetition});
    const AttemptRecord* final_one = found == last.end() ? &attempt : found->second;
    const bool again = final_one != &attempt, mended = again && final_one->outcome == Outcome::Ok;
    const auto [place, fresh] =
        places.try_emplace({attempt.cell, attempt.outcome, attempt.reason, again, mended}, troubles.size());
    if (fresh)
      troubles.push_back({&attempt, {attempt.repetition}, 1, again, mended});
    else {
      troubles[place->second].repetitions.insert(attempt.repetition);
      ++troubles[place->second].attempts;
    }
  }
  return troubles;
}

std::string trouble_title(const Lookup& lookup, const Trouble& trouble) {
  const char* after = trouble.mended ? " (tried again: ok)" : trouble.tried_again ? " (tried again)" : "";
  const std::string times =
      trouble.attempts > trouble.repetitions.size() ? fmt::format(" in {} attempts", trouble.attempts) : "";
  return fmt::format("{}, {}: {}{}{}", name_of_id(lookup, trouble.first->cell), boots_text(trouble.repetitions),
                     to_string(trouble.first->outcome), times, after);
}

std::string troubles_text(const Lookup& lookup, std::size_t width) {
  std::string out;
  for (const auto& trouble : troubles_of(lookup)) {
    if (trouble.first->outcome == Outcome::Skipped) continue;
    out += "  " + wrap(trouble_title(lookup, trouble), width - 2, 4) + "\n";
    if (trouble.first->reason != to_string(trouble.first->outcome)) {
      for (const auto& line : reason_lines(trouble.first->reason)) out += "      " + wrap(line, width - 6, 6) + "\n";
    }
    const bool peers = to_string(trouble.first->outcome).starts_with("peer-");
    out += fmt::format("      files: cells/{}/{}.{}{}\n", printable(trouble.first->cell), trouble.first->repetition,
                       trouble.first->attempt, peers ? "/peer" : "");
  }
  out += skipped_text(lookup, width);
  std::string unrun;
  for (const auto& cell : lookup.record().cells) {
    const auto missing = never_run(lookup, cell);
    if (!missing.empty()) unrun += "  " + wrap(name_of(cell) + ": " + boots_text(missing), width - 2, 4) + "\n";
  }
  return (out.empty() ? "" : "\nFailed or skipped\n" + out) + (unrun.empty() ? "" : "\nNot run\n" + unrun);
}

std::vector<CellNotes> notes_of(const Lookup& lookup) {
  struct Note {
    std::string cell, text;
    std::set<int> repetitions;
  };
  std::vector<Note> notes;
  std::map<std::pair<std::string, std::string>, std::size_t> places;  // by cell and kind
  for (const auto& attempt : lookup.record().attempts) {
    for (const auto& text : attempt.notes) {
      const auto [place, fresh] = places.try_emplace({attempt.cell, kind_of_note(text)}, notes.size());
      if (fresh)
        notes.push_back({attempt.cell, printable(text), {attempt.repetition}});
      else
        notes[place->second].repetitions.insert(attempt.repetition);
    }
  }
  for (auto& note : notes) {
    if (note.repetitions.size() > 1) note.text += fmt::format(" (and the like in {} boots)", note.repetitions.size());
  }
  for (const auto& odd : lookup.odd()) {
    notes.push_back({odd.cell,
                     fmt::format("{} {} of {} left out: the value {}", odd.count, odd.count == 1 ? "sample" : "samples",
                                 printable(odd.metric), odd.why),
                     {}});
  }
  // By cell in the plan's order, as in the tables; execution is shuffled.
  std::stable_sort(notes.begin(), notes.end(),
                   [&](const Note& a, const Note& b) { return lookup.place(a.cell) < lookup.place(b.cell); });
  std::vector<CellNotes> out;
  const std::string* before = nullptr;
  for (const auto& note : notes) {
    if (before == nullptr || note.cell != *before) out.push_back({name_of_id(lookup, note.cell), {}});
    before = &note.cell;
    out.back().notes.push_back(note.text);
  }
  return out;
}

std::string notes_text(const Lookup& lookup, std::size_t width) {
  std::string out;
  for (const auto& [cell, notes] : notes_of(lookup)) {
    out += "  " + wrap(cell, width - 2, 4) + "\n";
    for (const auto& note : notes) out += "    " + wrap(note, width - 4, 6) + "\n";
  }
  return out.empty() ? "" : "\nNotes\n" + out;
}

std::string unfinished_words(const Lookup& lookup) {
  const RunRecord& record = lookup.record();
  std::size_t missing = 0;
  for (const auto& cell : record.cells) missing += never_run(lookup, cell).size();
  if (missing == 0) return "";
  const std::size_t planned = record.cells.size() * static_cast<std::size_t>(std::max(record.boots, 0));
  if (missing == planned) return fmt::format("Not one of {} boots has run", planned);
  return fmt::format("Not finished: {} of {} boots have not run. What follows is of the others", missing, planned);
}

std::string tally_text(const Lookup& lookup) {
  const RunRecord& record = lookup.record();
  std::map<Outcome, std::size_t> counts;
  std::size_t last = 0, missing = 0;
  for (const auto& cell : record.cells) {
    for (const auto* attempt : last_attempts(lookup, cell.id)) {
      ++counts[attempt->outcome];
      ++last;
    }
    missing += never_run(lookup, cell).size();
  }
  const std::size_t planned = record.cells.size() * static_cast<std::size_t>(std::max(record.boots, 0));
  std::string text =
      fmt::format("{} {}, {} {}: {} ok", record.cells.size(), record.cells.size() == 1 ? "cell" : "cells", planned,
                  planned == 1 ? "boot" : "boots", counts[Outcome::Ok]);
  for (const auto& [outcome, count] : counts) {
    if (outcome != Outcome::Ok) text += fmt::format(", {} {}", count, to_string(outcome));
  }
  if (missing > 0) text += fmt::format(", {} not run", missing);
  if (record.attempts.size() > last) {
    const auto again = record.attempts.size() - last;
    text += fmt::format("; {} {} tried again", again, again == 1 ? "attempt was" : "attempts were");
  }
  text += ".";
  std::size_t broken = 0, booted = 0;
  for (const auto& attempt : record.attempts) {
    broken += attempt.outcome == Outcome::Infrastructure;
    booted += attempt.outcome != Outcome::Skipped;
  }
  if (broken > 0) {
    text += fmt::format(" The machinery failed in {} of {} attempts ({:.1f} %).", broken, booted,
                        100.0 * static_cast<double>(broken) / static_cast<double>(booted));
  }
  return text;
}

}  // namespace rig::report
