// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/job/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rig/job/parser.h"

namespace rig::job {
namespace {

// A boot's figure from those of its rounds: never empty.
double figure_of(const std::string& metric, const std::vector<double>& rounds) {
  if (metric.starts_with("max")) return *std::max_element(rounds.begin(), rounds.end());
  if (metric.starts_with("min")) return *std::min_element(rounds.begin(), rounds.end());
  double sum = 0;
  for (const double one : rounds) sum += one;
  return sum / static_cast<double>(rounds.size());
}

}  // namespace

std::vector<std::string> round_steps(const JobStep& step, const Rounds& rounds) {
  if (rounds == Rounds{}) return {step.name};
  std::vector<std::string> names;
  for (int i = 1; i <= rounds.warmup; ++i) names.push_back(fmt::format("{}.warmup-{}", step.name, i));
  for (int i = 1; i <= rounds.measured; ++i) names.push_back(fmt::format("{}.round-{}", step.name, i));
  return names;
}

std::string round_words(std::size_t index, const Rounds& rounds) {
  const int number = static_cast<int>(index) + 1;
  return number <= rounds.warmup ? fmt::format("round {} of warm-up", number)
                                 : fmt::format("round {} of {}", number - rounds.warmup, rounds.measured);
}

JobResult joined(std::vector<JobResult> results, const Rounds& rounds) {
  JobResult all;
  std::vector<Sample> boot;                                            // metric, unit and instance, in order
  std::map<std::pair<std::string, int>, std::vector<double>> figures;  // of the rounds measured
  std::vector<Sample> single;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    const bool warmup = number <= rounds.warmup;
    for (auto& note : results[i].notes) {
      // a note of every round stands once
      if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end()) all.notes.push_back(std::move(note));
    }
    if (!warmup) all.lost += results[i].lost;
    for (const auto& sample : results[i].samples) {
      if (sample.instance == 0)
        single.push_back({(warmup ? "warmup." : "round.") + sample.metric, sample.unit, sample.value,
                          warmup ? number : number - rounds.warmup});
      if (warmup) continue;
      auto& slot = figures[{sample.metric, sample.instance}];
      if (slot.empty()) boot.push_back(sample);
      slot.push_back(sample.value);
    }
  }
  for (auto& sample : boot) {
    // what some round did not give (MB/s of too short a run) the boot does not give either
    const auto& values = figures.at({sample.metric, sample.instance});
    if (values.size() != static_cast<std::size_t>(rounds.measured)) continue;
    sample.value = figure_of(sample.metric, values);
    all.samples.push_back(std::move(sample));
  }
  all.samples.insert(all.samples.end(), single.begin(), single.end());
  if (std::none_of(all.samples.begin(), all.samples.end(), [](const Sample& one) { return one.instance == 0; }))
    return failed("no metric was given in every round");
  return all;
}

}  // namespace rig::job
