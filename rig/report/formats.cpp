// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/report/troubles.h"

namespace rig {

const std::vector<std::string>& report_formats() {
  static const std::vector<std::string> words = {"text", "md", "json", "csv", "junit", "ktap", "html"};
  return words;
}

std::optional<ReportFormat> parse_report_format(std::string_view word) {
  const auto& words = report_formats();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<ReportFormat>(found - words.begin());
}

void write_report(const RunRecord& record, ReportFormat format, const Material& material, const Sink& sink) {
  switch (format) {
    case ReportFormat::Text:
      return sink(material.verdicts && material.judging ? text_report(record, *material.verdicts, *material.judging)
                                                        : text_report(record));
    case ReportFormat::Markdown:
      return report::write_markdown(record, material, sink);
    case ReportFormat::Json:
      return report::write_json(record, material, sink);
    case ReportFormat::Csv:
      return report::write_csv(record, sink);
    case ReportFormat::Junit:
      return report::write_junit(record, material, sink);
    case ReportFormat::Ktap:
      return report::write_ktap(record, material, sink);
    case ReportFormat::Html:
      return report::write_html(record, material, sink);
  }
}

std::optional<std::string> attempt_directory(const AttemptRecord& attempt) {
  const bool plain = std::all_of(attempt.cell.begin(), attempt.cell.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
  });
  if (attempt.cell.empty() || !plain) return std::nullopt;
  const bool peers = to_string(attempt.outcome).starts_with("peer-");
  return fmt::format("cells/{}/{}.{}{}", attempt.cell, attempt.repetition, attempt.attempt, peers ? "/peer" : "");
}

std::vector<std::string> consoles_wanted(const RunRecord& record) {
  constexpr std::size_t most = 100;
  const report::Lookup lookup(record);
  std::vector<std::string> out;
  for (const auto& trouble : report::troubles_of(lookup)) {
    if (trouble.first->outcome == Outcome::Skipped) continue;  // nothing was started
    if (auto directory = attempt_directory(*trouble.first)) out.push_back(std::move(*directory));
    if (out.size() == most) break;
  }
  return out;
}

}  // namespace rig
