// SPDX-License-Identifier: GPL-2.0-or-later
// JUnit XML as Jenkins and GitLab read it: a suite for each job on a machine, a case for each cell.
#include <fmt/format.h>

#include "rig/report/cell_state.h"
#include "rig/report/formats.h"
#include "rig/report/text.h"
#include "rig/report/words.h"
#include "rig/report/xml.h"

namespace rig::report {
namespace {

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
  }
  void set_on(Element& element) const {
    element.set("tests", std::to_string(tests));
    element.set("failures", std::to_string(failures));
    element.set("errors", std::to_string(errors));
    element.set("skipped", std::to_string(skipped));
    element.set("time", fmt::format("{:.3f}", seconds));
  }
};

double host_seconds(const Lookup& lookup, const std::string& cell) {
  double ms = 0;
  for (const auto* attempt : lookup.attempts(cell)) {
    for (const auto& [stage, spent] : attempt->stages_ms) ms += static_cast<double>(spent);
  }
  return ms / 1000;
}

std::string lines_text(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

void add_case(Element& suite, const Lookup& lookup, const Section& section, const Row& row, const CellState& state,
              const std::vector<std::string>& verdicts, Counts& counts) {
  const RunRecord& record = lookup.record();
  const double seconds = host_seconds(lookup, row.cell->id);
  Element test = suite.add("testcase");
  test.set("classname", printable(record.name) + "." + printable(section.job) + "." + printable(section.topology));
  test.set("name", name_of(*row.cell));
  test.set("time", fmt::format("{:.3f}", seconds));
  counts.add({1, state.end == CellEnd::Failed, state.end == CellEnd::Broken, state.end == CellEnd::Skipped, seconds});
  if (state.end == CellEnd::Skipped)
    test.add("skipped", lines_text(state.details)).set("message", state.message);
  else if (state.end != CellEnd::Ok)
    test.add(state.end == CellEnd::Failed ? "failure" : "error", lines_text(state.details))
        .set("message", state.message)
        .set("type", state.timed_out                ? "timeout"
                     : state.end == CellEnd::Failed ? "failed"
                                                    : "infrastructure");
  std::string out = figure_words(record, section, row);
  if (!out.empty()) out += "\n";
  out += lines_text(verdicts);
  if (state.end == CellEnd::Ok) out += lines_text(state.details);  // what a later attempt mended
  if (!out.empty()) test.add("system-out", out);
}

// What the matrix asks of its verdicts, as a case of its own.
Counts add_check(Element root, const RunRecord& record, const Verdicts& verdicts) {
  const bool holds = verdicts.check.holds();
  const Counts counts{1, holds ? std::size_t{0} : 1, 0, 0, 0};
  Element suite = root.add("testsuite");
  suite.set("name", "check").set("timestamp", printable(record.started));
  counts.set_on(suite);
  Element test = suite.add("testcase");
  test.set("classname", printable(record.name) + ".check").set("name", "check").set("time", "0.000");
  if (holds) return counts;
  std::string reasons;
  for (const auto& reason : verdicts.check.reasons) reasons += printable(reason) + "\n";
  test.add("failure", reasons).set("message", "the verdicts are not what the matrix asks").set("type", "check");
  return counts;
}

}  // namespace

void write_junit(const RunRecord& record, const Material& material, const Sink& sink) {
  const Lookup lookup(record);
  const auto states = states_of(lookup, material);
  XmlText document("testsuites");
  Element root = document.root();
  root.set("name", printable(record.name));
  Counts all;
  for (const auto& section : sections_of(lookup)) {
    Element suite = root.add("testsuite");
    suite.set("name", section_name(section));
    suite.set("timestamp", printable(record.started));
    Counts counts;
    for (const auto& row : section.rows)
      add_case(suite, lookup, section, row, states[static_cast<std::size_t>(row.cell - record.cells.data())],
               verdict_lines(material, row.cell->id), counts);
    counts.set_on(suite);
    all.add(counts);
  }
  if (material.verdicts && material.verdicts->check.asked) all.add(add_check(root, record, *material.verdicts));
  all.set_on(root);
  sink(document.xml());
}

}  // namespace rig::report
