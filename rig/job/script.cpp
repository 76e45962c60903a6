// SPDX-License-Identifier: GPL-2.0-or-later
// A job's steps and a cell to the guest's script.
#include <fmt/format.h>

#include "rig/job/job.h"
#include "rig/job/parser.h"
#include "rig/job/rounds.h"
#include "rig/job/script.h"
#include "rig/job/template.h"

namespace rig {
namespace job {
namespace {

constexpr std::int64_t max_copies = 4096;  // the agent's own bound is lower; this one stops a slip
constexpr std::int64_t max_cpu = 4095;
constexpr std::int64_t max_limit_ms = 7LL * 24 * 3600 * 1000;

std::string at(const JobSpec& spec, const JobStep& step) {
  return fmt::format("job {}, step {}: ", spec.name, step.name);
}

std::string expand_at(const std::string& where, const char* key, const Template& text, const Words& words) {
  try {
    return expand(text, words);
  } catch (const InputError& fault) {
    throw InputError(fmt::format("{}{} {}", where, key, fault.what()));
  }
}

std::int64_t whole_number(const std::string& where, const char* key, const std::string& text, std::int64_t min,
                          std::int64_t max) {
  const auto number = parse_integer(text);
  if (!number || *number < min || *number > max) {
    throw InputError(fmt::format("{}{} is \"{}\"; allowed: a whole number from {} to {}", where, key, text, min, max));
  }
  return *number;
}

std::int64_t limit_of(const JobSpec& spec, const JobStep& step, const Words& words) {
  if (step.limit.parameter.empty()) return step.limit.base_ms;
  const auto found = words.find(step.limit.parameter);
  if (found == words.end()) {
    throw InputError(
        fmt::format("{}limit is per \"{}\", which is no parameter of the job", at(spec, step), step.limit.parameter));
  }
  const auto value =
      whole_number(at(spec, step), "the parameter that its limit counts", found->second.value, 0, max_limit_ms);
  std::int64_t product = 0, sum = 0;
  const bool overflow = __builtin_mul_overflow(value, step.limit.factor_ms, &product) ||
                        __builtin_add_overflow(product, step.limit.base_ms, &sum);
  return overflow || sum > max_limit_ms ? max_limit_ms : sum;
}

}  // namespace

Words words_of(const JobSpec& spec, const Cell& cell, WireEnd end) {
  Words words;
  for (const auto& parameter : spec.parameters) {
    const auto found = cell.parameters.find(parameter.name);
    const std::string& value = found != cell.parameters.end() ? found->second : parameter.default_value;
    words[parameter.name] = {value, !value.empty() && value != "0"};
  }
  if (spec.over_wire) {
    const auto cpu = [&](std::optional<int> number) { return number ? Word{std::to_string(*number), true} : Word{}; };
    const bool in_peer = end == WireEnd::Peer;
    words["interrupt_cpu"] = cpu(in_peer     ? (cell.peer ? cell.peer->interrupt_cpu : 0)
                                 : cell.cpus ? cell.cpus->first
                                             : 0);
    words["process_cpu"] = cpu(in_peer     ? (cell.peer ? cell.peer->process_cpu : std::nullopt)
                               : cell.cpus ? std::optional(cell.cpus->second)
                                           : std::nullopt);
  } else if (!spec.placements.empty()) {
    const auto cpu = [&](int number) { return cell.cpus ? Word{std::to_string(number), true} : Word{}; };
    words["client_cpu"] = cpu(cell.cpus ? cell.cpus->first : 0);
    words["server_cpu"] = cpu(cell.cpus ? cell.cpus->second : 0);
  }
  return words;
}

int copies_of(const JobSpec& spec, const JobStep& step, const Words& words) {
  const std::string text = expand_at(at(spec, step), "copies", step.copies, words);
  return static_cast<int>(whole_number(at(spec, step), "copies", text, 1, max_copies));
}

}  // namespace job

GuestScript make_script(const JobSpec& spec, const Cell& cell, const std::string& results, int heartbeat_ms,
                        WireEnd end) {
  using namespace job;
  const Words words = words_of(spec, cell, end);
  GuestScript script{
      .results = results, .heartbeat_ms = heartbeat_ms, .perturbation = {}, .sysctls = spec.sysctls, .steps = {}};
  for (const auto& step : spec.steps) {
    if (step.in_peer != (end == WireEnd::Peer)) continue;
    const std::string where = at(spec, step);
    ScriptStep out{
        .name = step.name, .argv = {}, .limit_ms = limit_of(spec, step, words), .background = step.background};
    for (const auto& element : step.argv) {
      std::string argument = expand_at(where, "run", element, words);
      if (!argument.empty()) out.argv.push_back(std::move(argument));
    }
    if (out.argv.empty()) throw InputError(where + "run is empty; it needs a program");
    out.copies = copies_of(spec, step, words);
    const std::string cpu = expand_at(where, "cpu", step.cpu, words);
    if (!cpu.empty()) out.cpu = static_cast<int>(whole_number(where, "cpu", cpu, 0, max_cpu));
    out.wait_tcp_port = step.wait_tcp_port;
    out.wait_tcp_ms = step.wait_tcp_port != 0 ? step.wait_tcp_ms : 0;
    out.model_begin_ms = step.model_begin_ms;
    out.model_count_ms = step.model_count_ms;
    if (&step != measured_step(spec, end)) {
      script.steps.push_back(std::move(out));
      continue;
    }
    for (const auto& name : round_steps(step, cell.rounds)) {
      out.name = name;
      script.steps.push_back(out);
    }
  }
  return script;
}

std::vector<std::string> job_faults(const JobSpec& spec) {
  using namespace job;
  std::vector<std::string> faults;
  const Parser* parser = find_parser(spec.parser);
  if (parser == nullptr) {
    faults.push_back(
        fmt::format("job {}: there is no parser \"{}\"; allowed: {}", spec.name, spec.parser, one_of(parser_names())));
  }
  if (spec.metrics.empty()) faults.push_back(fmt::format("job {}: no metrics; the first is the headline", spec.name));
  for (const auto& metric : spec.metrics) {
    if (parser == nullptr) break;
    std::vector<std::string> known;
    const MetricForm* form = nullptr;
    for (const auto& candidate : parser->metrics) {
      known.emplace_back(candidate.name);
      if (candidate.name == metric.name) form = &candidate;
    }
    if (form == nullptr) {
      faults.push_back(fmt::format("job {}: the parser {} gives no metric \"{}\"; allowed: {}", spec.name, spec.parser,
                                   metric.name, one_of(known)));
    } else if (form->unit != metric.unit) {
      faults.push_back(fmt::format("job {}: the parser {} gives {} in {}, not in {}", spec.name, spec.parser,
                                   metric.name, form->unit, metric.unit));
    }
  }
  if (measured_step(spec) == nullptr) {
    faults.push_back(fmt::format("job {}: no foreground step; the last one is the step measured", spec.name));
  }
  // Both forms of every conditional: all parameters at their defaults, unbound and bound.
  Cell cell;
  for (const bool bound : {false, true}) {
    if (bound && spec.placements.empty()) continue;
    if (bound) cell.cpus = {0, 0};
    if (bound && spec.over_wire) cell.peer = Peer{{}, "", "", 0, 0};
    try {
      make_script(spec, cell, "", 0);
      if (spec.over_wire) make_script(spec, cell, "", 0, WireEnd::Peer);
    } catch (const InputError& fault) {
      if (faults.empty() || faults.back() != fault.what()) faults.emplace_back(fault.what());
    }
  }
  return faults;
}

}  // namespace rig
