// SPDX-License-Identifier: GPL-2.0-or-later
// Values to rows and back.
#pragma once
#include "rig/record/record.h"
#include "rig/record/sqlite.h"

namespace rig::record {

void write_head(const Database& database, const RunRecord& head);  // all but attempts
void write_attempt(const Database& database, const AttemptRecord& attempt);
RunRecord read_all(const Database& database);  // throws SqliteError on rows of another form

}  // namespace rig::record
