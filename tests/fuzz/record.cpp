// SPDX-License-Identifier: GPL-2.0-or-later
// A run's record as found on disk, which may be damaged or not rig's at all.
#include "rig/record/record.h"
#include "rig/report/report.h"
#include "target.h"

namespace rig::fuzz {

void one(std::string_view bytes) {
  write_file(scratch() / "results.sqlite", bytes);
  answers([] {
    const RunRecord record = load_record(scratch());
    for (const auto format : {ReportFormat::Text, ReportFormat::Csv, ReportFormat::Json})
      write_report(record, format, {}, [](std::string_view) {});
  });
  for (const char* beside : {"results.sqlite", "results.sqlite-wal", "results.sqlite-shm", "results.sqlite-journal"})
    std::filesystem::remove(scratch() / beside);
}

}  // namespace rig::fuzz
