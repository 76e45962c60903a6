// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/report/text.h"

namespace rig::report {
namespace {

std::string what_is(const std::string& accelerator) {
  if (accelerator == "kvm") return "measured";
  if (accelerator == "model") return "modelled";
  return "functional only";
}

const TopologyRecord* machine_in(const RunRecord& record, const std::string& name) {
  const auto found = std::find_if(record.topologies.begin(), record.topologies.end(),
                                  [&](const TopologyRecord& one) { return one.name == name; });
  return found == record.topologies.end() ? nullptr : &*found;
}

const Topology* shape_in(const std::vector<Topology>& machines, const std::string& name) {
  const auto found =
      std::find_if(machines.begin(), machines.end(), [&](const Topology& one) { return one.name == name; });
  return found == machines.end() ? nullptr : &*found;
}

// The numbers' digest without what they were fitted to.
std::string digest(const TopologyRecord& machine) { return machine.timing.substr(0, machine.timing.find(',')); }

std::string settings_text(const TopologyRecord& machine) {
  std::string text;
  for (const auto* settings : {&machine.settings, &machine.swept}) {
    for (const auto& one : *settings)
      text += (text.empty() ? "" : ", ") + printable(one.path) + " " + printable(one.value);
  }
  return text.empty() ? "none" : text;
}

// What shows that two machines of one name are not the same; empty where nothing does.
std::string machines_differ(const ComparedRun& a, const ComparedRun& b, const std::string& name) {
  const TopologyRecord *first = machine_in(a.record, name), *second = machine_in(b.record, name);
  if (first == nullptr || second == nullptr) return "";
  if (first->settings != second->settings || first->swept != second->swept)
    return fmt::format("its settings are not the same: {} against {}", settings_text(*first), settings_text(*second));
  if (digest(*first) != digest(*second))
    return fmt::format(
        "its timing is not the same: {} against {}; figures of other numbers are figures of another "
        "machine",
        printable(digest(*first)), printable(digest(*second)));
  const Topology *left = shape_in(a.machines, name), *right = shape_in(b.machines, name);
  if (left == nullptr || right == nullptr) return "";
  const auto shape = [](Topology machine) {
    machine.title.clear();
    machine.notes.clear();
    machine.timing.reset();  // the digests were compared
    return machine;
  };
  if (shape(*left) != shape(*right)) return "its definition is not the same (sockets, caches, nodes or CPU model)";
  return "";
}

std::string metrics_differ(const RunRecord& a, const RunRecord& b, const std::string& job) {
  for (const auto& first : a.metrics) {
    for (const auto& second : b.metrics) {
      if (first.job != job || second.job != job || first.metric != second.metric) continue;
      if (first.unit != second.unit)
        return fmt::format("{} is in {} against {}", printable(first.metric), printable(first.unit),
                           printable(second.unit));
      if (first.higher_is_better != second.higher_is_better)
        return fmt::format("more of {} is better in one, less in the other", printable(first.metric));
    }
  }
  return "";
}

// Kernels of one name are the same; of those without a partner the baselines are, then a single one on each side.
std::map<std::string, std::string> partners(const RunRecord& a, const RunRecord& b) {
  const auto names = [](const RunRecord& record) {
    std::vector<std::string> out;
    for (const auto& cell : record.cells) {
      if (std::find(out.begin(), out.end(), cell.kernel) == out.end()) out.push_back(cell.kernel);
    }
    return out;
  };
  auto left = names(a), right = names(b);
  std::map<std::string, std::string> out;
  const auto pair = [&](const std::string& first, const std::string& second) {
    out[first] = second;
    std::erase(left, std::string(first));
    std::erase(right, std::string(second));
  };
  for (const auto& name : std::vector<std::string>(left)) {
    if (std::find(right.begin(), right.end(), name) != right.end()) pair(name, name);
  }
  const auto has = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  if (has(left, a.baseline) && has(right, b.baseline)) pair(a.baseline, b.baseline);
  if (left.size() == 1 && right.size() == 1) pair(std::string(left.front()), std::string(right.front()));
  return out;
}

std::string parameters_differ(const CellRecord& a, const CellRecord& b) {
  std::set<std::string> names;
  for (const auto* cell : {&a, &b}) {
    for (const auto& [name, value] : cell->parameters) names.insert(name);
  }
  const auto value = [](const CellRecord& cell, const std::string& name) {
    const auto found = cell.parameters.find(name);
    return found == cell.parameters.end() ? std::string("absent") : printable(found->second);
  };
  std::string text;
  for (const auto& name : names) {
    if (value(a, name) != value(b, name))
      text +=
          fmt::format("{}{} {} against {}", text.empty() ? "" : ", ", printable(name), value(a, name), value(b, name));
  }
  return text;
}

// Why a cell has no partner: the nearest there is, by what is not the same.
std::string nobody(const CellRecord& cell, const std::string& kernel, const RunRecord& other,
                   const std::string& other_name) {
  const auto among = [&](auto matches) {
    const auto found = std::find_if(other.cells.begin(), other.cells.end(), matches);
    return found == other.cells.end() ? nullptr : &*found;
  };
  if (!among([&](const CellRecord& one) { return one.job == cell.job; }))
    return fmt::format("{} has no job {}", other_name, printable(cell.job));
  if (!among([&](const CellRecord& one) { return one.job == cell.job && one.topology == cell.topology; }))
    return fmt::format("{} has not run {} on {}", other_name, printable(cell.job), printable(cell.topology));
  if (kernel.empty()) return fmt::format("{} has no kernel to set against {}", other_name, printable(cell.kernel));
  const auto rest = [&](const CellRecord& one) {
    return one.job == cell.job && one.topology == cell.topology && one.kernel == kernel;
  };
  if (const CellRecord* near =
          among([&](const CellRecord& one) { return rest(one) && one.placement == cell.placement; }))
    return "the job's parameters are not the same: " + parameters_differ(cell, *near);
  if (among(rest)) return fmt::format("{} has not placed it so", other_name);
  return fmt::format("{} has not run it with {}", other_name, printable(kernel));
}

}  // namespace

std::string refusal_of(const ComparedRun& a, const ComparedRun& b) {
  if (a.record.accelerator == b.record.accelerator) return "";
  return fmt::format(
      "the accelerators are not the same: {} is {} ({}), {} is {} ({}). What a figure means depends on it", a.name,
      printable(a.record.accelerator), what_is(a.record.accelerator), b.name, printable(b.record.accelerator),
      what_is(b.record.accelerator));
}

Pairs pairs_of(const ComparedRun& a, const ComparedRun& b) {
  Pairs pairs;
  const auto kernels = partners(a.record, b.record);
  for (const auto& [left, right] : kernels) {
    if (left != right) pairs.kernels.emplace_back(printable(left), printable(right));
  }
  std::vector<std::pair<std::string, std::size_t>> reasons;  // of several cells told once
  const auto refuse = [&](const CellRecord& cell, const std::string& why) {
    const std::string text = fmt::format("{} on {}: {}", printable(cell.job), printable(cell.topology), why);
    const auto found = std::find_if(reasons.begin(), reasons.end(), [&](const auto& one) { return one.first == text; });
    if (found == reasons.end())
      reasons.emplace_back(text, 1);
    else
      ++found->second;
  };
  std::set<const CellRecord*> taken;
  for (const auto& cell : a.record.cells) {
    const auto partner = kernels.find(cell.kernel);
    const std::string kernel = partner == kernels.end() ? "" : partner->second;
    const auto same = std::find_if(b.record.cells.begin(), b.record.cells.end(), [&](const CellRecord& one) {
      return one.kernel == kernel && one.job == cell.job && one.topology == cell.topology &&
             one.parameters == cell.parameters && one.placement == cell.placement;
    });
    if (same == b.record.cells.end()) {
      refuse(cell, nobody(cell, kernel, b.record, b.name));
      continue;
    }
    taken.insert(&*same);
    if (const auto why = machines_differ(a, b, cell.topology); !why.empty())
      refuse(cell, why);
    else if (const auto unlike = metrics_differ(a.record, b.record, cell.job); !unlike.empty())
      refuse(cell, unlike);
    else
      pairs.cells.push_back({&cell, &*same});
  }
  for (const auto& cell : b.record.cells) {
    if (taken.contains(&cell)) continue;
    std::string kernel;
    for (const auto& [left, right] : kernels) {
      if (right == cell.kernel) kernel = left;
    }
    const std::string why = nobody(cell, kernel, a.record, a.name);
    if (!why.starts_with("the job's parameters")) refuse(cell, why);  // that was said from the other side
  }
  for (const auto& [text, count] : reasons)
    pairs.refused.push_back(count == 1 ? text : fmt::format("{} ({} cells)", text, count));
  return pairs;
}

}  // namespace rig::report
