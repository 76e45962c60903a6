// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/repeat.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rig {
namespace {

bool virtual_time(const RunRecord& record) {
  return record.accelerator == to_string(Accelerator::Model) || record.accelerator == to_string(Accelerator::Tcg);
}

// metric → repetition → figure, of the repetitions that ended ok.
struct CellFigures {
  std::size_t ok = 0;
  std::map<std::string, std::map<int, double>> by_metric;
};

CellFigures figures_of(const RunRecord& record, const std::string& cell, int blocks) {
  CellFigures figures;
  for (const auto& attempt : record.attempts) {
    if (attempt.cell != cell || attempt.outcome != Outcome::Ok || attempt.repetition >= blocks) continue;
    ++figures.ok;
    for (const auto& sample : attempt.samples) {
      if (sample.instance == 0) figures.by_metric[sample.metric].try_emplace(attempt.repetition, sample.value);
    }
  }
  return figures;
}

std::vector<double> values_of(const CellFigures& figures, const std::string& metric) {
  std::vector<double> values;
  if (const auto found = figures.by_metric.find(metric); found != figures.by_metric.end()) {
    for (const auto& [repetition, value] : found->second) values.push_back(value);
  }
  return values;
}

// What is compared within a group of cells that differ in the kernel alone, at this look.
std::vector<Repeated> compared_in(const Plan& plan, const std::vector<std::size_t>& group, const RunRecord& record,
                                  int blocks) {
  std::vector<CellFigures> figures;
  for (const std::size_t cell : group) figures.push_back(figures_of(record, plan.cells[cell].id, blocks));
  std::string metric;  // the job's first that every repetition gave which ended ok
  for (const auto& candidate : job_of(plan, plan.cells[group.front()]).metrics) {
    const bool everywhere = std::all_of(figures.begin(), figures.end(), [&](const CellFigures& one) {
      return values_of(one, candidate.name).size() == one.ok;
    });
    if (everywhere && metric.empty()) metric = candidate.name;
  }
  std::vector<double> baseline;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (plan.cells[group[i]].kernel == plan.matrix.baseline) baseline = values_of(figures[i], metric);
  }
  std::vector<Repeated> all;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto values = values_of(figures[i], metric);
    const bool own_baseline = plan.cells[group[i]].kernel == plan.matrix.baseline;
    if (values.size() < 2 || (own_baseline && group.size() > 1 && baseline.size() >= 2)) continue;
    all.push_back({values, baseline.size() < 2 || own_baseline ? std::vector<double>{} : baseline});
  }
  return all;
}

}  // namespace

std::optional<Precision> precision_of(const MatrixSpec& matrix) {
  if (!matrix.until) return std::nullopt;
  return Precision{matrix.until->ci, matrix.until->confidence, matrix.until->min, matrix.until->max};
}

std::vector<int> repetitions_wanted(const Plan& plan, const RunRecord& record, int blocks) {
  std::vector<int> wanted(plan.cells.size(), plan.matrix.boots);
  const auto precision = precision_of(plan.matrix);
  if (!precision) return wanted;
  if (virtual_time(record)) return std::vector<int>(plan.cells.size(), precision->min);
  std::map<std::tuple<std::string, std::string, std::map<std::string, std::string>, std::optional<Relation>>,
           std::vector<std::size_t>>
      groups;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const Cell& cell = plan.cells[i];
    groups[{cell.topology, cell.job, cell.parameters, cell.placement}].push_back(i);
  }
  for (const auto& [key, group] : groups) {
    for (const int look : looks_of(*precision)) {
      if (look > blocks) break;
      if (next_step(*precision, compared_in(plan, group, record, look), look) == Next::Repeat) continue;
      for (const std::size_t cell : group) wanted[cell] = look;
      break;
    }
  }
  return wanted;
}

std::vector<Attempt> attempts_wanted(const Plan& plan, const RunRecord& record) {
  const auto wanted = repetitions_wanted(plan, record, plan.matrix.boots);
  std::vector<Attempt> attempts;
  for (const auto& attempt : plan.order) {
    if (attempt.repetition < wanted[attempt.cell]) attempts.push_back(attempt);
  }
  return attempts;
}

}  // namespace rig
