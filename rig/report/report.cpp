// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/report/images.h"
#include "rig/report/mapping.h"
#include "rig/report/rounds.h"
#include "rig/report/section.h"
#include "rig/report/tables.h"
#include "rig/report/text.h"
#include "rig/report/troubles.h"
#include "rig/report/verdicts.h"
#include "rig/report/what_if.h"
#include "rig/report/why.h"
#include "rig/report/wire.h"
#include "rig/report/words.h"

namespace rig {
namespace report {
namespace {

std::string kernel_lines(const RunRecord& record, std::size_t width) {
  std::string out = "Kernels\n";
  if (record.kernels.empty()) out += "  none\n";
  for (const auto& kernel : record.kernels) {
    std::string text = printable(kernel.name);
    if (kernel.name == record.baseline) text += " (baseline)";
    if (is_peer_only(record, kernel.name)) text += " (peer only)";
    text += ": Linux " + printable(kernel.release) + ", " + printable(kernel.source);
    if (!kernel.compiler.empty()) text += ", " + printable(kernel.compiler);
    if (!kernel.key.empty()) text += ", build " + printable(kernel.key.substr(0, 12));
    if (const std::string image = image_of(record, kernel.name); !image.empty()) text += ", image " + printable(image);
    out += "  " + wrap(text, width - 2, 4) + "\n";
    if (!kernel.title.empty() && kernel.title != kernel.name)
      out += "    " + wrap(printable(kernel.title), width - 4, 4) + "\n";
  }
  return out;
}

std::string machine_lines(const RunRecord& record, std::size_t width) {
  std::string out = record.topologies.size() == 1 ? "Machine\n" : "Machines\n";
  if (record.topologies.empty()) out += "  none\n";
  std::set<std::string> shown_machines;  // the points of a sweep are one machine
  for (const auto& topology : record.topologies) {
    const std::string machine =
        topology.swept.empty() ? topology.name : topology.name.substr(0, topology.name.find('@'));
    if (!shown_machines.insert(machine).second) continue;
    std::string text = printable(machine) + ": " + printable(topology.title);
    for (const auto& [path, value] : topology.settings) text += "; " + printable(path) + " " + printable(value);
    if (topology.swept.empty() && !topology.timing.empty()) text += "; timing " + printable(topology.timing);
    for (const auto& [path, value] : topology.swept) text += "; " + printable(path) + " swept";
    out += "  " + wrap(text, width - 2, 4) + "\n";
  }
  for (const auto& note : record.topology_notes) out += "  note: " + wrap(printable(note), width - 8, 8) + "\n";
  const std::pair<const char*, const char*> shown[] = {{"host-cpus", "{} CPUs"},
                                                       {"host-cpu", "{}"},
                                                       {"host-kernel", "{}"},
                                                       {"qemu", "QEMU {}"},
                                                       {"libvirt", "libvirt {}"}};
  std::string host;
  for (const auto& [key, form] : shown) {
    const auto found = record.environment.find(key);
    if (found == record.environment.end() || found->second.empty()) continue;
    host += (host.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), printable(found->second));
  }
  out += cards_text(record, width);
  if (!host.empty()) out += "Host\n  " + wrap(host, width - 2, 4) + "\n";
  return out;
}

std::string heading(const RunRecord& record, std::size_t width) {
  const std::string title = printable(record.name);
  std::string out = title + "\n" + std::string(std::min(columns(title), width), '=') + "\n";
  out += wrap(fmt::format("rig {}, {}, plan {}, seed {}, {} of each cell", printable(record.rig_version),
                          printable(record.started), printable(record.plan_hash), record.seed, boots_planned(record)),
              width, 2) +
         "\n\n";
  std::string meaning = printable(record.accelerator);
  if (!record.accelerator_meaning.empty()) meaning += ": " + printable(record.accelerator_meaning);
  out += wrap(meaning, width, 0) + "\n";
  if (!record.accelerator_reason.empty())
    out += wrap("Chosen because: " + printable(record.accelerator_reason), width, 0) + "\n";
  return out + "\n" + kernel_lines(record, width) + machine_lines(record, width) + mapping_text(record, width);
}

std::string legend_text(const Legend& legend, std::size_t width) {
  std::string out;
  for (const auto& line : legend_lines(legend)) out += wrap(line, width, 2) + "\n";
  return out.empty() ? "" : "\n" + out;
}

// Where an attempt's time goes on the host: the median of each stage over all attempts that ended ok.
std::string stage_text(const RunRecord& record, std::size_t width) {
  std::vector<std::string> names = {"plan", "create", "boot", "job", "teardown"};
  std::map<std::string, std::vector<double>> times;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome != Outcome::Ok) continue;
    for (const auto& [stage, ms] : attempt.stages_ms) {
      times[stage].push_back(static_cast<double>(ms) / 1000);
      if (std::find(names.begin(), names.end(), stage) == names.end()) names.push_back(stage);
    }
  }
  std::string text;
  for (const auto& name : names) {
    if (times.contains(name))
      text += (text.empty() ? "" : ", ") + fmt::format("{} {:.2f}", printable(name), summarize(times[name]).median);
  }
  return text.empty() ? "" : wrap("Host seconds of an attempt, medians: " + text + ".", width, 2) + "\n";
}

}  // namespace
}  // namespace report

namespace {

std::string whole_text(const RunRecord& record, std::size_t width, const std::string& verdicts,
                       const std::string& beside) {
  using namespace report;
  Legend legend;
  const Lookup lookup(record);
  std::string out = heading(record, width);
  if (const auto words = unfinished_words(lookup); !words.empty()) out += "\n" + wrap(words + ".", width, 0) + "\n";
  out += verdicts;
  const auto sections = sections_of(lookup);
  for (const auto& section : sections) {
    out += "\n" + section_text(lookup, section, width, legend) + image_note(record, section, width);
    out += rounds_text(lookup, section, width);
    if (section.points.empty()) out += why_text(lookup, section, width);
    out += wire_text(lookup, section, width);
  }
  out += what_if_text(lookup, sections, width, legend);
  out += beside;
  if (record.cells.empty()) out += "\nThe run has no cells.\n";
  out += legend_text(legend, width);
  out += limits_text(lookup, width);
  out += troubles_text(lookup, width);
  out += notes_text(lookup, width);
  out += mapping_notes_text(record, width);
  out += "\n" + wrap(tally_text(lookup), width, 2) + "\n" + stage_text(record, width);
  return out;
}

std::size_t fitting(int columns) { return static_cast<std::size_t>(std::clamp(columns, 40, 400)); }

}  // namespace

std::string text_report(const RunRecord& record, int columns) { return whole_text(record, fitting(columns), "", ""); }

std::string text_report(const RunRecord& record, const Verdicts& verdicts, const Judging& judging, int columns) {
  return whole_text(record, fitting(columns), report::verdicts_text(record, verdicts, judging, fitting(columns)),
                    report::beside_text(verdicts, judging, fitting(columns)));
}

}  // namespace rig
