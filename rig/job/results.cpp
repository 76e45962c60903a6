// SPDX-License-Identifier: GPL-2.0-or-later
// The guest's outputs to samples: what holds for every benchmark; the parsers know the rest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rig/job/job.h"
#include "rig/job/parser.h"
#include "rig/job/rounds.h"
#include "rig/job/script.h"

namespace rig {
namespace job {
namespace {

constexpr std::array<const Parser*, 3> parsers = {&netperf_rr_parser, &pinger_parser, &tbench_parser};

bool ended_well(const StepOutput& output) { return output.status == "exit 0" || output.status.starts_with("exit 0 "); }

std::string name_of(const StepOutput& output, int copies) {
  return copies > 1 ? fmt::format("{} (process {} of {})", output.step, output.copy + 1, copies) : output.step;
}

// How a process ended that did not end well, with what it said last.
JobResult bad_end(const StepOutput& output, int copies) {
  const auto words = words_of(output.status);
  const std::string who = name_of(output, copies);
  std::string said = last_line(output.err);
  if (said.empty()) said = last_line(output.out);
  const std::string tail = said.empty() ? ": it printed nothing" : ": " + said;
  if (!words.empty() && words[0] == "limit")
    return failed(who + " was still running at its time limit" + tail, Outcome::Timeout);
  if (words.size() >= 2 && words[0] == "exit")
    return failed(fmt::format("{} ended with exit {}{}", who, quote(words[1], 20), tail));
  if (words.size() >= 2 && words[0] == "signal")
    return failed(fmt::format("{} was ended by signal {}{}", who, quote(words[1], 20), tail));
  return failed(fmt::format("{} left no status that can be read: \"{}\"", who, quote(output.status, 40)));
}

}  // namespace

const Parser* find_parser(std::string_view name) {
  for (const Parser* parser : parsers) {
    if (parser->name == name) return parser;
  }
  return nullptr;
}

JobResult failed(std::string why, Outcome outcome) {
  return {.outcome = outcome, .samples = {}, .failure = std::move(why), .lost = 0, .notes = {}};
}

Figure figure(std::string_view text) {
  const auto value = parse_number(text);
  if (!value) return {0, fmt::format("is \"{}\", which is no number", quote(text, 40))};
  if (*value == 0) return {0, "is 0"};
  if (*value < 0) return {0, fmt::format("is negative ({})", quote(text, 40))};
  if (*value > max_plausible) return {0, fmt::format("is {}, which nothing here can reach", quote(text, 40))};
  return {*value, ""};
}

std::string Reading::parameter(std::string_view name) const {
  for (const auto& parameter : job.parameters) {
    if (parameter.name != name) continue;
    const auto found = cell.parameters.find(parameter.name);
    return found != cell.parameters.end() ? found->second : parameter.default_value;
  }
  return "";
}

namespace {

// The one output of each process of the step; a message where one is missing or there twice.
std::string collect(const std::vector<StepOutput>& outputs, const JobStep& step, int copies,
                    std::vector<const StepOutput*>& found) {
  found.assign(static_cast<std::size_t>(copies), nullptr);
  for (const auto& output : outputs) {
    if (output.step != step.name) continue;
    if (output.copy < 0 || output.copy >= copies) {
      return fmt::format("the guest gave an output of process {} of step {}, which has {}", output.copy + 1, step.name,
                         copies);
    }
    auto& slot = found[static_cast<std::size_t>(output.copy)];
    if (slot != nullptr)
      return fmt::format("the guest gave two outputs of process {} of step {}", output.copy + 1, step.name);
    slot = &output;
  }
  const auto missing = std::count(found.begin(), found.end(), nullptr);
  if (missing != 0)
    return fmt::format("the guest gave {} of {} outputs of step {}", copies - missing, copies, step.name);
  return "";
}

// A server that ended by itself is often the cause of what the clients then say.
std::string dead_servers(const JobSpec& spec, const std::vector<StepOutput>& outputs) {
  std::string text;
  for (const auto& output : outputs) {
    const bool background = std::any_of(spec.steps.begin(), spec.steps.end(), [&](const JobStep& step) {
      return step.background && step.name == output.step;
    });
    if (!background || !output.status.starts_with("exit ") || ended_well(output)) continue;
    const auto words = words_of(output.status);
    text += fmt::format("; {} had ended with exit {}", output.step, words.size() > 1 ? quote(words[1], 20) : "?");
    const std::string said = last_line(output.err);
    if (!said.empty()) text += ": " + said;
  }
  return text;
}

JobResult read(const JobSpec& spec, const Cell& cell, const std::vector<StepOutput>& outputs, const Parser& parser) {
  Reading reading{spec, cell, {}};
  if (auto fault = steps_fault(spec, cell, WireEnd::Guest, outputs, parser, reading.copies)) return *fault;
  return parser.read(reading);
}

}  // namespace

std::optional<JobResult> steps_fault(const JobSpec& spec, const Cell& cell, WireEnd end,
                                     const std::vector<StepOutput>& outputs, const Parser& parser,
                                     std::vector<const StepOutput*>& measured) {
  const JobStep* last = measured_step(spec, end);
  const Words words = job::words_of(spec, cell, end);
  for (const auto& step : spec.steps) {
    if (step.background || step.in_peer != (end == WireEnd::Peer)) continue;
    const int copies = copies_of(spec, step, words);
    std::vector<const StepOutput*> found;
    const std::string missing = collect(outputs, step, copies, found);
    // A cause that a process names itself says more than the gap it left.
    if (&step == last) {
      for (const StepOutput* output : found) {
        if (output == nullptr) continue;
        if (const auto cause = parser.diagnose(*output)) return failed(name_of(*output, copies) + ": " + *cause);
      }
    }
    for (const StepOutput* output : found) {
      if (output != nullptr && !ended_well(*output)) return bad_end(*output, copies);
    }
    if (!missing.empty()) return failed(missing);
    if (&step == last) measured = found;
  }
  return std::nullopt;
}

}  // namespace job

const JobStep* measured_step(const JobSpec& spec, WireEnd end) {
  const JobStep* last = nullptr;
  for (const auto& step : spec.steps) {
    if (!step.background && step.in_peer == (end == WireEnd::Peer)) last = &step;
  }
  return last;
}

std::vector<std::string> parser_names() {
  std::vector<std::string> names;
  for (const auto* parser : job::parsers) names.emplace_back(parser->name);
  return names;
}

namespace {

// Of one round: samples of the job's own metrics, all finite and positive, or why not.
JobResult read_round(const JobSpec& spec, const Cell& cell, const std::vector<StepOutput>& outputs) {
  JobResult result = job::read(spec, cell, outputs, *job::find_parser(spec.parser));
  std::erase_if(result.samples, [&](const Sample& sample) {
    return std::none_of(spec.metrics.begin(), spec.metrics.end(),
                        [&](const Metric& metric) { return metric.name == sample.metric; });
  });
  if (result.failure.empty()) {
    for (const auto& sample : result.samples) {
      if (std::isfinite(sample.value) && sample.value > 0) continue;
      result = job::failed(fmt::format("{} came out as {}", sample.metric, sample.value));
      break;
    }
  }
  if (result.failure.empty() && result.samples.empty()) {
    result = job::failed("the output holds none of the job's metrics");
  }
  if (!result.failure.empty()) {
    result.samples.clear();
    result.failure += job::dead_servers(spec, outputs);
  }
  return result;
}

}  // namespace

JobResult read_results(const JobSpec& spec, const Cell& cell, const std::vector<StepOutput>& outputs) {
  const auto faults = job_faults(spec);
  if (!faults.empty()) throw InputError(faults.front());
  if (cell.rounds == Rounds{}) return read_round(spec, cell, outputs);
  const std::string measured = measured_step(spec)->name;
  const auto names = job::round_steps(*measured_step(spec), cell.rounds);
  std::vector<JobResult> rounds;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // this round's outputs under the step's own name, without those of the other rounds
    std::vector<StepOutput> own;
    for (const auto& output : outputs) {
      const bool of_another =
          output.step != names[i] && std::find(names.begin(), names.end(), output.step) != names.end();
      if (of_another || output.step == measured) continue;
      own.push_back(output);
      if (output.step == names[i]) own.back().step = measured;
    }
    rounds.push_back(read_round(spec, cell, own));
    if (rounds.back().failure.empty()) continue;
    rounds.back().failure = job::round_words(i, cell.rounds) + ": " + rounds.back().failure;
    return std::move(rounds.back());
  }
  return job::joined(std::move(rounds), cell.rounds);
}

}  // namespace rig
