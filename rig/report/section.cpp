// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "rig/report/text.h"

namespace rig::report {
namespace {

std::set<int> ok_repetitions(const Lookup& lookup, const std::string& cell) {
  std::set<int> repetitions;
  for (const auto* attempt : lookup.attempts(cell)) {
    if (attempt->outcome == Outcome::Ok) repetitions.insert(attempt->repetition);
  }
  return repetitions;
}

// The job's metrics in order, the headline first.
std::vector<MetricRecord> metrics_of(const RunRecord& record, const std::string& job) {
  std::vector<MetricRecord> metrics;
  for (const auto& metric : record.metrics) {
    if (metric.job == job) metrics.push_back(metric);
  }
  std::stable_sort(metrics.begin(), metrics.end(),
                   [](const MetricRecord& a, const MetricRecord& b) { return a.headline > b.headline; });
  return metrics;
}

// The first metric that every repetition gave which ended ok; one table compares one metric. Where
// none is so complete, the headline, with gaps.
void choose_metric(const Lookup& lookup, const std::vector<const CellRecord*>& cells, Section& section) {
  const auto metrics = metrics_of(lookup.record(), section.job);
  if (metrics.empty()) return;
  std::vector<std::size_t> ok;
  for (const auto* cell : cells) ok.push_back(ok_repetitions(lookup, cell->id).size());
  const auto complete = [&](const MetricRecord& metric) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (lookup.figures(cells[i]->id, metric.metric).size() != ok[i]) return false;
    }
    return true;
  };
  const auto found = std::find_if(metrics.begin(), metrics.end(), complete);
  section.metric = found == metrics.end() ? metrics.front() : *found;
  if (section.metric.metric != metrics.front().metric) section.instead_of = metrics.front().metric;
  for (const auto& metric : metrics) {
    const bool any = std::any_of(cells.begin(), cells.end(), [&](const CellRecord* cell) {
      return !lookup.figures(cell->id, metric.metric).empty();
    });
    if (metric.metric != section.metric.metric && any) section.others.push_back(metric);
  }
}

// Why a cell has no figures, by its attempts' outcomes: "panic", "2 panic, 1 timeout", "not run".
std::string trouble_of(const Lookup& lookup, const std::string& cell) {
  std::vector<std::pair<Outcome, int>> counts;
  bool any_ok = false;
  for (const auto* attempt : lookup.attempts(cell)) {
    any_ok = any_ok || attempt->outcome == Outcome::Ok;
    if (attempt->outcome == Outcome::Ok) continue;
    const auto found =
        std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == attempt->outcome; });
    if (found == counts.end())
      counts.emplace_back(attempt->outcome, 1);
    else
      ++found->second;
  }
  if (counts.empty()) return any_ok ? "not given" : "not run";
  std::string text;
  for (const auto& [outcome, count] : counts) {
    text += text.empty() ? "" : ", ";
    text += counts.size() > 1 || count > 1 ? fmt::format("{} {}", count, to_string(outcome)) : to_string(outcome);
  }
  return text;
}

// The clients of its first boot that ended ok, 1, 2, ….
std::vector<double> instances_of(const Lookup& lookup, const std::string& cell, const std::string& metric) {
  std::map<int, double> by_instance;
  for (const auto* attempt : lookup.attempts(cell)) {
    if (attempt->outcome != Outcome::Ok) continue;
    for (const auto& sample : attempt->samples) {
      if (sample.metric == metric && sample.instance > 0 && std::isfinite(sample.value))
        by_instance.try_emplace(sample.instance, sample.value);
    }
    break;
  }
  std::vector<double> values;
  for (const auto& [instance, value] : by_instance) values.push_back(value);
  return values;
}

// Parameters with one value in all cells, and the names of the others.
std::vector<std::string> split_parameters(const std::vector<const CellRecord*>& cells, std::string& constants) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto* cell : cells) {
    for (const auto& [name, value] : cell->parameters) values[name].insert(value);
  }
  std::vector<std::string> varying;
  for (const auto& [name, seen] : values) {
    const bool everywhere = std::all_of(
        cells.begin(), cells.end(), [&, key = name](const CellRecord* cell) { return cell->parameters.contains(key); });
    // How many clients there are belongs to each figure, as in the posts.
    if (seen.size() > 1 || !everywhere || name == "clients")
      varying.push_back(name);
    else
      constants += (constants.empty() ? "" : ", ") + printable(name) + "=" + printable(*seen.begin());
  }
  return varying;
}

const TopologyRecord* machine_of(const RunRecord& record, const std::string& name) {
  const auto found = std::find_if(record.topologies.begin(), record.topologies.end(),
                                  [&](const TopologyRecord& topology) { return topology.name == name; });
  return found == record.topologies.end() ? nullptr : &*found;
}

// The machine of a cell, or the one that is swept where it is a point of a sweep (its name is before the @).
std::string swept_machine(const RunRecord& record, const CellRecord& cell) {
  const TopologyRecord* machine = machine_of(record, cell.topology);
  return machine == nullptr || machine->swept.empty() ? cell.topology
                                                      : cell.topology.substr(0, cell.topology.find('@'));
}

// The points of the sweep that these cells are of, none where they are of none.
std::vector<const TopologyRecord*> points_of(const RunRecord& record, const std::vector<const CellRecord*>& cells) {
  std::vector<const TopologyRecord*> points;
  for (const auto* cell : cells) {
    const TopologyRecord* machine = machine_of(record, cell->topology);
    if (machine == nullptr || machine->swept.empty()) continue;
    if (std::find(points.begin(), points.end(), machine) == points.end()) points.push_back(machine);
  }
  return points;
}

Section make_section(const Lookup& lookup, const std::vector<const CellRecord*>& cells) {
  const RunRecord& record = lookup.record();
  Section section;
  section.job = cells.front()->job;
  section.topology = swept_machine(record, *cells.front());
  section.points = points_of(record, cells);
  section.perturbed = is_virtual_time(record.accelerator);
  choose_metric(lookup, cells, section);
  const auto varying = split_parameters(cells, section.constants);
  for (const auto* cell : cells) {
    Row row;
    row.cell = cell;
    for (const auto& name : varying) {
      const auto found = cell->parameters.find(name);
      if (found != cell->parameters.end())
        row.label += (row.label.empty() ? "" : ", ") + parameter_label(name, found->second);
    }
    row.by_repetition = lookup.figures(cell->id, section.metric.metric);
    const auto values = values_in(row.by_repetition);
    row.summary = summarize(values);
    const CellRecord* baseline = lookup.baseline_of(*cell);
    if (baseline != nullptr) row.ratio = ratio_in(section, values, lookup.values(baseline->id, section.metric.metric));
    if (values.empty()) row.trouble = trouble_of(lookup, cell->id);
    if (values.size() == 1) row.instances = instances_of(lookup, cell->id, section.metric.metric);
    section.placements = section.placements || !cell->placement.empty();
    section.rows.push_back(std::move(row));
  }
  return section;
}

}  // namespace

std::vector<Section> sections_of(const Lookup& lookup) {
  const RunRecord& record = lookup.record();
  std::vector<std::vector<const CellRecord*>> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const auto& cell : record.cells) {
    const auto [place, fresh] = places.try_emplace({cell.job, swept_machine(record, cell)}, groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(&cell);
  }
  std::vector<Section> sections;
  for (const auto& group : groups) sections.push_back(make_section(lookup, group));
  return sections;
}

std::vector<double> values_in(const std::vector<Figure>& figures) {
  std::vector<double> values;
  values.reserve(figures.size());
  for (const auto& figure : figures) values.push_back(figure.value);
  return values;
}

std::optional<Ratio> ratio_in(const Section& section, const std::vector<double>& candidate,
                              const std::vector<double>& baseline) {
  return section.perturbed ? ratio_of_perturbed(candidate, baseline) : ratio(candidate, baseline);
}

std::string parameter_label(const std::string& name, const std::string& value) {
  if (name == "clients") return printable(value) + (value == "1" ? " client" : " clients");
  return printable(name) + "=" + printable(value);
}

std::string placement_label(const std::string& placement) {
  if (placement.empty()) return "unbound";
  if (placement == "same-cpu") return "same CPU";
  if (placement == "same-l2") return "another CPU, same L2";
  if (placement == "same-package") return "same package, another L2";
  if (placement == "other-package") return "another package";
  return printable(placement);
}

std::string name_of(const CellRecord& cell) {
  std::string text = printable(cell.job);
  for (const auto& [name, value] : cell.parameters) text += ", " + parameter_label(name, value);
  if (!cell.placement.empty()) text += ", " + placement_label(cell.placement);
  return text + fmt::format(", on {}, {}", printable(cell.topology), printable(cell.kernel));
}

}  // namespace rig::report
