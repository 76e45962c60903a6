// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/lookup.h"

#include <algorithm>
#include <cmath>

#include "rig/report/text.h"

namespace rig::report {
namespace {

// All of a cell but its kernel. No character of it can stand for another: each part has its length before it.
std::string but_for_kernel(const CellRecord& cell) {
  std::string key;
  const auto add = [&](const std::string& part) { key += std::to_string(part.size()) + ':' + part; };
  add(cell.topology);
  add(cell.job);
  add(cell.placement);
  for (const auto& [name, value] : cell.parameters) {
    add(name);
    add(value);
  }
  return key;
}

constexpr double most_believed = 1e15;  // as rig/verdict has it

}  // namespace

bool is_virtual_time(const std::string& accelerator) { return accelerator == "model" || accelerator == "tcg"; }

Lookup::Lookup(const RunRecord& record) : record_(&record) {
  for (std::size_t i = 0; i < record.cells.size(); ++i) {
    Cell& cell = cells_[record.cells[i].id];
    if (cell.cell != nullptr) continue;
    cell.cell = &record.cells[i];
    cell.place = i;
    if (cell.cell->kernel == record.baseline) baselines_.try_emplace(but_for_kernel(*cell.cell), cell.cell);
  }
  for (const auto& attempt : record.attempts) {
    const auto found = cells_.find(attempt.cell);
    if (found == cells_.end()) continue;
    found->second.attempts.push_back(&attempt);
    if (attempt.outcome == Outcome::Ok) take(found->second, attempt);
  }
  const auto earlier = [](const Figure& a, const Figure& b) { return a.repetition < b.repetition; };
  for (auto& [id, cell] : cells_) {
    for (auto& [name, metric] : cell.metrics) {
      auto& figures = metric.figures;
      if (!std::is_sorted(figures.begin(), figures.end(), earlier))
        std::stable_sort(figures.begin(), figures.end(), earlier);
      figures.erase(std::unique(figures.begin(), figures.end(),
                                [](const Figure& a, const Figure& b) { return a.repetition == b.repetition; }),
                    figures.end());
    }
  }
}

void Lookup::take(Cell& cell, const AttemptRecord& attempt) {
  for (const auto& sample : attempt.samples) {
    auto found = cell.metrics.find(sample.metric);
    if (found == cell.metrics.end()) {
      found = cell.metrics.try_emplace(sample.metric).first;
      const auto defined = std::find_if(record_->metrics.begin(), record_->metrics.end(), [&](const MetricRecord& one) {
        return one.job == cell.cell->job && one.metric == sample.metric;
      });
      if (defined != record_->metrics.end()) found->second.unit = &defined->unit;
    }
    Metric& metric = found->second;
    if (!std::isfinite(sample.value))
      take_odd(attempt, sample, "is no finite number");
    else if (sample.value < 0)
      take_odd(attempt, sample, "is below zero");
    else if (sample.value > most_believed)
      take_odd(attempt, sample, "is larger than anything that can be measured");
    else if (metric.unit != nullptr && sample.unit != *metric.unit)
      take_odd(attempt, sample, "has the unit '" + printable(sample.unit) + "', not '" + printable(*metric.unit) + "'");
    else if (sample.instance == 0)
      metric.figures.push_back({attempt.repetition, sample.value});
  }
}

void Lookup::take_odd(const AttemptRecord& attempt, const Sample& sample, std::string why) {
  const auto same = std::find_if(odd_.begin(), odd_.end(), [&](const OddSamples& one) {
    return one.cell == attempt.cell && one.metric == sample.metric && one.why == why;
  });
  if (same != odd_.end())
    ++same->count;
  else
    odd_.push_back({attempt.cell, sample.metric, std::move(why), 1});
}

const CellRecord* Lookup::cell(const std::string& id) const {
  const auto found = cells_.find(id);
  return found == cells_.end() ? nullptr : found->second.cell;
}

std::size_t Lookup::place(const std::string& id) const {
  const auto found = cells_.find(id);
  return found == cells_.end() ? record_->cells.size() : found->second.place;
}

const CellRecord* Lookup::baseline_of(const CellRecord& cell) const {
  const auto found = baselines_.find(but_for_kernel(cell));
  return found == baselines_.end() ? nullptr : found->second;
}

const std::vector<const AttemptRecord*>& Lookup::attempts(const std::string& cell) const {
  static const std::vector<const AttemptRecord*> none;
  const auto found = cells_.find(cell);
  return found == cells_.end() ? none : found->second.attempts;
}

const std::vector<Figure>& Lookup::figures(const std::string& cell, const std::string& metric) const {
  static const std::vector<Figure> none;
  const auto found = cells_.find(cell);
  if (found == cells_.end()) return none;
  const auto slot = found->second.metrics.find(metric);
  return slot == found->second.metrics.end() ? none : slot->second.figures;
}

std::vector<double> Lookup::values(const std::string& cell, const std::string& metric) const {
  const auto& all = figures(cell, metric);
  std::vector<double> values;
  values.reserve(all.size());
  for (const auto& figure : all) values.push_back(figure.value);
  return values;
}

}  // namespace rig::report
