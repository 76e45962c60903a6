// SPDX-License-Identifier: GPL-2.0-or-later
// One row a sample, as RFC 4180 has it but for line breaks, which are \n.
#include <fmt/format.h>

#include <iterator>
#include <set>

#include "rig/base/units.h"
#include "rig/report/formats.h"
#include "rig/report/lookup.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

constexpr std::size_t piece = std::size_t{1} << 16U;  // bytes handed on at a time

// A text that a spreadsheet would take for a formula gets an apostrophe before it, which keeps it a text.
std::string field(const std::string& value) {
  std::string text = printable(value);
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos && !parse_number(text))
    text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void write_csv(const RunRecord& record, const Sink& sink) {
  std::set<std::string> parameters;
  for (const auto& cell : record.cells) {
    for (const auto& [name, value] : cell.parameters) parameters.insert(name);
  }
  std::string out = "run,accelerator,cell,kernel,topology,job,placement";
  for (const auto& name : parameters) out += ',' + field("parameter." + name);
  out += ",repetition,attempt,outcome,started,metric,unit,instance,value\n";
  const std::string run = field(record.name) + ',' + field(record.accelerator) + ',';
  const Lookup lookup(record);
  std::unordered_map<std::string, std::string> names;  // of metrics and units
  const auto name = [&](const std::string& text) -> const std::string& {
    const auto [place, fresh] = names.try_emplace(text);
    if (fresh) place->second = field(text);
    return place->second;
  };
  for (const auto& attempt : record.attempts) {
    const CellRecord* cell = lookup.cell(attempt.cell);
    std::string front = run + field(attempt.cell) + ',';
    front += cell == nullptr ? ",,,"
                             : field(cell->kernel) + ',' + field(cell->topology) + ',' + field(cell->job) + ',' +
                                   field(cell->placement);
    for (const auto& parameter : parameters) {
      front += ',';
      if (cell == nullptr) continue;
      if (const auto found = cell->parameters.find(parameter); found != cell->parameters.end())
        front += field(found->second);
    }
    front += fmt::format(",{},{},{},{},", attempt.repetition, attempt.attempt, to_string(attempt.outcome),
                         field(attempt.started));
    for (const auto& sample : attempt.samples) {
      out += front;
      out += name(sample.metric);
      out += ',';
      out += name(sample.unit);
      // the shortest text that reads back as the same number
      fmt::format_to(std::back_inserter(out), ",{},{}\n", sample.instance, sample.value);
      if (out.size() < piece) continue;
      sink(out);
      out.clear();
    }
  }
  sink(out);
}

}  // namespace rig::report
