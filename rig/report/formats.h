// SPDX-License-Identifier: GPL-2.0-or-later
// One function a format; report.h says what they take, docs/reports.md what they write.
#pragma once
#include "rig/report/report.h"

namespace rig::report {

void write_csv(const RunRecord& record, const Sink& sink);
void write_json(const RunRecord& record, const Material& material, const Sink& sink);
void write_junit(const RunRecord& record, const Material& material, const Sink& sink);
void write_ktap(const RunRecord& record, const Material& material, const Sink& sink);
void write_markdown(const RunRecord& record, const Material& material, const Sink& sink);
void write_html(const RunRecord& record, const Material& material, const Sink& sink);

}  // namespace rig::report
