// SPDX-License-Identifier: GPL-2.0-or-later
// Values to rows and back.
#pragma once
#include <array>
#include <type_traits>
#include <utility>

#include "rig/record/record.h"
#include "rig/record/sqlite.h"

namespace rig::record {

void write_head(const Database& database, const RunRecord& head);  // all but attempts
void write_attempt(const Database& database, const AttemptRecord& attempt);
RunRecord read_all(const Database& database);  // throws SqliteError on rows of another form

// The lists of a guest's fidelity, by the words that their rows have.
template <class Fidelity>
auto lines_of(Fidelity& guest) {
  using List = std::conditional_t<std::is_const_v<Fidelity>, const std::vector<std::string>, std::vector<std::string>>;
  return std::array<std::pair<const char*, List*>, 4>{
      {{"pin", &guest.pins}, {"held", &guest.held}, {"lost", &guest.lost}, {"note", &guest.notes}}};
}

}  // namespace rig::record
