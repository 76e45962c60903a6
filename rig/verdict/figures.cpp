// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/verdict/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rig::verdict {
namespace {

// Beyond it nothing is a rate, a time or a count of any machine, and sums lose their digits.
constexpr double most = 1e15;

const Sample* sample_of(const AttemptRecord& attempt, const std::string& metric) {
  const auto found = std::find_if(attempt.samples.begin(), attempt.samples.end(), [&](const Sample& sample) {
    return sample.metric == metric && sample.instance == 0;
  });
  return found == attempt.samples.end() ? nullptr : &*found;
}

bool believable(const Sample& sample, const MetricRecord& metric) {
  return std::isfinite(sample.value) && sample.value > 0 && sample.value <= most && sample.unit == metric.unit;
}

}  // namespace

FigureIndex::FigureIndex(const RunRecord& record) : record_(record) {
  for (std::size_t i = 0; i < record.attempts.size(); ++i) {
    const AttemptRecord& attempt = record.attempts[i];
    if (attempt.outcome == Outcome::Ok) ok_[attempt.cell].try_emplace(attempt.repetition, One{&attempt, i});
  }
}

Figures FigureIndex::of(const CellRecord& cell, const MetricRecord& metric) const {
  Figures figures;
  const auto found = ok_.find(cell.id);
  if (found == ok_.end()) return figures;
  std::map<std::size_t, double> by_place;
  for (const auto& [repetition, one] : found->second) {
    const Sample* sample = sample_of(*one.attempt, metric.metric);
    if (sample == nullptr) continue;
    if (!believable(*sample, metric)) {
      figures.refused.push_back(fmt::format("repetition {}: {} {}", repetition + 1, sample->value, sample->unit));
      continue;
    }
    figures.values.push_back(sample->value);
    by_place[one.place] = sample->value;
  }
  for (const auto& [place, value] : by_place) figures.in_order.push_back(value);
  return figures;
}

std::size_t FigureIndex::ok_repetitions(const CellRecord& cell) const {
  const auto found = ok_.find(cell.id);
  return found == ok_.end() ? 0 : found->second.size();
}

std::string FigureIndex::trouble(const CellRecord& cell) const {
  std::map<std::string, int> counts;
  for (const auto& attempt : record_.attempts) {
    if (attempt.cell == cell.id && attempt.outcome != Outcome::Ok) ++counts[to_string(attempt.outcome)];
  }
  std::string text;
  for (const auto& [outcome, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, outcome);
  return text.empty() ? "not run" : text;
}

bool FigureIndex::gives(const CellRecord& cell, const std::string& metric) const {
  const auto found = ok_.find(cell.id);
  return found != ok_.end() && std::all_of(found->second.begin(), found->second.end(), [&](const auto& pair) {
           return sample_of(*pair.second.attempt, metric) != nullptr;
         });
}

const MetricRecord* FigureIndex::metric(const std::string& job, const std::string& name) const {
  const auto found = std::find_if(record_.metrics.begin(), record_.metrics.end(), [&](const MetricRecord& metric) {
    return metric.job == job && metric.metric == name;
  });
  return found == record_.metrics.end() ? nullptr : &*found;
}

const MetricRecord* FigureIndex::common_metric(const std::vector<const CellRecord*>& cells) const {
  std::vector<const MetricRecord*> metrics;
  for (const auto& metric : record_.metrics) {
    if (metric.job == cells.front()->job) metrics.push_back(&metric);
  }
  std::stable_sort(metrics.begin(), metrics.end(),
                   [](const auto* a, const auto* b) { return a->headline > b->headline; });
  for (const auto* metric : metrics) {
    const bool everywhere =
        std::all_of(cells.begin(), cells.end(), [&](const CellRecord* cell) { return gives(*cell, metric->metric); });
    if (everywhere) return metric;
  }
  return nullptr;
}

}  // namespace rig::verdict
