// SPDX-License-Identifier: GPL-2.0-or-later
// What the figures were got with: kernels, machines, the mode and its fidelity, the host.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/report/document.h"
#include "rig/report/images.h"
#include "rig/report/mapping.h"
#include "rig/report/wire.h"

namespace rig::report {

Part kernels_part(const RunRecord& record) {
  Part part{"kernels", "Kernels", 2, {}};
  Grid grid;
  grid.caption = "Kernels, where they come from, and what built them";
  grid.head = {"kernel", "release", "source", "compiler", "build", "image"};
  grid.align.assign(6, Align::Left);
  for (const auto& kernel : record.kernels) {
    std::string name = printable(kernel.name) + (kernel.name == record.baseline ? " (baseline)" : "");
    if (is_peer_only(record, kernel.name)) name += " (peer only)";
    if (!kernel.title.empty() && kernel.title != kernel.name) name += ": " + printable(kernel.title);
    grid.rows.push_back(
        {{std::move(name), "Linux " + printable(kernel.release), printable(kernel.source), printable(kernel.compiler),
          printable(kernel.key.substr(0, 12)), printable(image_of(record, kernel.name))}});
  }
  if (!grid.rows.empty()) part.blocks.emplace_back(without_empty_columns(std::move(grid)));
  return part;
}

Part machines_part(const RunRecord& record, const Material& material) {
  Part part{"machines", record.topologies.size() == 1 ? "Machine" : "Machines", 2, {}};
  Facts facts;
  std::set<std::string> shown;  // the points of a sweep are one machine
  for (const auto& topology : record.topologies) {
    const std::string machine =
        topology.swept.empty() ? topology.name : topology.name.substr(0, topology.name.find('@'));
    if (!shown.insert(machine).second) continue;
    std::string text = printable(topology.title);
    for (const auto& [path, value] : topology.settings) text += "; " + printable(path) + " " + printable(value);
    if (topology.swept.empty() && !topology.timing.empty()) text += "; timing " + printable(topology.timing);
    for (const auto& [path, value] : topology.swept) text += "; " + printable(path) + " swept";
    facts.items.emplace_back(printable(machine), text);
  }
  if (!facts.items.empty()) part.blocks.emplace_back(std::move(facts));
  Machines drawn;
  std::set<std::string> families;
  for (const auto& machine : material.machines) {
    if (shown.contains(family_of(machine.name)) && families.insert(family_of(machine.name)).second)
      drawn.machines.push_back(machine);
  }
  if (!drawn.machines.empty()) part.blocks.emplace_back(std::move(drawn));
  return part;
}

Part fidelity_part(const Lookup& lookup) {
  const RunRecord& record = lookup.record();
  Part part{"fidelity", "Fidelity", 2, {}};
  Facts facts;
  facts.items.emplace_back(
      "mode", printable(record.accelerator) +
                  (record.accelerator_meaning.empty() ? "" : ": " + printable(record.accelerator_meaning)));
  if (!record.accelerator_reason.empty())
    facts.items.emplace_back("chosen because", printable(record.accelerator_reason));
  part.blocks.emplace_back(std::move(facts));
  Bullets notes;
  for (const auto& note : record.topology_notes) notes.items.push_back(printable(note));
  if (!notes.items.empty()) part.blocks.emplace_back(std::move(notes));
  const auto add = [&](const std::string& label, std::string text) {
    std::vector<std::string> lines;
    for (std::size_t at = text.find('\n') + 1; at < text.size();) {  // the first is the label in the text's layout
      const auto end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    if (!lines.empty()) part.blocks.emplace_back(Lines{label, std::move(lines)});
  };
  constexpr std::size_t width = 100;
  if (auto text = mapping_text(record, width); !text.empty()) add("mapping onto host CPUs", std::move(text));
  if (auto text = mapping_notes_text(record, width); !text.empty()) add("mapping in detail", text.substr(1));
  if (auto text = cards_text(record, width); !text.empty()) add("cards on the wire", std::move(text));
  return part;
}

Part environment_part(const Lookup& lookup) {
  const RunRecord& record = lookup.record();
  Part part{"environment", "Environment", 2, {}};
  Facts facts;
  for (const auto& [name, value] : record.environment) facts.items.emplace_back(printable(name), printable(value));
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
  if (!text.empty()) facts.items.emplace_back("host seconds of an attempt, medians", text);
  if (!facts.items.empty()) part.blocks.emplace_back(std::move(facts));
  return part;
}

}  // namespace rig::report
