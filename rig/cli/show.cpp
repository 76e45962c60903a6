// SPDX-License-Identifier: GPL-2.0-or-later
// Definitions as they were understood, for people.
#include <fmt/format.h>

#include "rig/base/base.h"
#include "rig/cli/command.h"

namespace rig::cli {
namespace {

// "  patches     a" and further lines below it; nothing where there is none.
std::string lines(const std::string& label, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("  {:<11} {}\n", i == 0 ? label : "", values[i]);
  return text;
}

std::vector<std::string> strings(const std::vector<std::filesystem::path>& paths) {
  return {paths.begin(), paths.end()};
}

std::string parameter_text(const JobParameter& parameter) {
  const std::string range = parameter.type == JobParameter::Type::Integer
                                ? fmt::format("{} to {}", parameter.min, parameter.max)
                                : one_of(parameter.words);
  return fmt::format("{}: {}, default {}{}", parameter.name, range, parameter.default_value,
                     parameter.help.empty() ? "" : "; " + parameter.help);
}

std::string limit_text(const StepLimit& limit) {
  std::string text = format_duration(std::chrono::milliseconds(limit.base_ms));
  if (!limit.parameter.empty()) {
    text += fmt::format(" + {} for each of {}", format_duration(std::chrono::milliseconds(limit.factor_ms)),
                        limit.parameter);
  }
  return text;
}

std::string step_text(const JobStep& step) {
  std::string text = fmt::format("{}: {}", step.name, command_line(step.argv));
  if (step.background) text += ", in the background";
  if (step.copies != "1") text += ", copies " + step.copies;
  if (!step.cpu.empty()) text += ", on CPU " + step.cpu;
  if (step.wait_tcp_port != 0) text += fmt::format(", until port {} is listened on", step.wait_tcp_port);
  return text + ", at most " + limit_text(step.limit);
}

}  // namespace

std::string show(const KernelSpec& spec) {
  std::vector<std::string> options, patches;
  for (const auto& [key, value] : spec.set) options.push_back(key + "=" + value);
  for (const auto& patch : spec.patches) patches.push_back(patch.url.empty() ? patch.file.string() : patch.url);
  std::string text = fmt::format("kernel {}: {}\n", spec.name, spec.title);
  text += lines("source", {describe_source(spec)});
  text += lines("patches", patches) + lines("fragments", strings(spec.fragments)) + lines("set", options);
  if (!is_prebuilt(spec)) text += lines("toolchain", {spec.toolchain.name});
  return text + lines("boot args", spec.boot_args);
}

std::string show(const ToolchainSpec& spec) {
  std::string text = fmt::format("toolchain {}: {}\n", spec.name, spec.title);
  if (!spec.packages.empty()) text += lines("suite", {spec.suite}) + lines("packages", spec.packages);
  if (!spec.directory.empty()) text += lines("directory", {spec.directory.string()});
  text += lines("compiler", {spec.compiler});
  if (!spec.binutils.empty()) text += lines("binutils", {spec.binutils});
  return text + lines("make", {spec.make}) + lines("host", {spec.host_compiler});
}

std::string show(const ImageSpec& spec) {
  std::string text = fmt::format("image {}: from Debian {}\n", spec.name, spec.suite);
  for (const auto& package : spec.packages) {
    text += fmt::format("  {} ({}{})\n", package.package, package.component, package.optional ? ", optional" : "");
    for (const auto& file : package.take) text += fmt::format("    {}\n", file);
  }
  return text;
}

std::string show(const JobSpec& spec) {
  std::vector<std::string> parameters, placements, sysctls, steps, metrics;
  for (const auto& parameter : spec.parameters) parameters.push_back(parameter_text(parameter));
  for (const Relation relation : spec.placements) placements.push_back(to_string(relation));
  for (const auto& [key, value] : spec.sysctls) sysctls.push_back(key + " = " + value);
  for (const auto& step : spec.steps) steps.push_back(step_text(step));
  for (const auto& metric : spec.metrics) {
    metrics.push_back(fmt::format("{} ({}), {} is better{}", metric.name, metric.unit,
                                  metric.better == Better::Higher ? "higher" : "lower",
                                  metric.help.empty() ? "" : "; " + metric.help));
  }
  std::string text = fmt::format("job {}: {}\n", spec.name, spec.title);
  text += lines("parameters", parameters) + lines("placements", placements) + lines("sysctls", sysctls);
  text += lines("programs", spec.programs) + lines("steps", steps) + lines("metrics", metrics);
  text += lines("parser", {spec.parser});
  if (spec.expected_ms > 0)
    text += lines("expected", {format_duration(std::chrono::milliseconds(spec.expected_ms)) + " of guest time"});
  return text;
}

std::string show(const Reference& reference) {
  std::vector<std::string> kernels, claims;
  for (const auto& [published, own] : reference.kernels)
    kernels.push_back(own.empty() ? published : published + ", here " + own);
  for (const auto& claim : reference.claims) claims.push_back(fmt::format("{}: \"{}\"", claim.name, claim.says));
  std::string text = fmt::format("reference {}: {}\n", reference.name, reference.title);
  text += lines("published", {reference.author + ", " + reference.date, reference.where});
  text += lines("machine", {reference.machine}) + lines("conditions", reference.conditions);
  text += lines("kernels", kernels) + lines("claims", claims) + lines("notes", reference.notes);
  for (const auto& table : reference.tables) {
    text += fmt::format("  table {}: {}, {}\n", table.name, table.title, table.printed_unit);
    for (const auto& row : table.rows) {
      text += fmt::format("    {:<18}", row.kernel);
      for (const auto& [name, value] : row.at) text += fmt::format(" {}={}", name, value);
      if (!row.placement.empty()) text += fmt::format(" {:<13}", row.placement);
      for (const auto& figure : row.figures) text += "  " + figure.text;
      if (row.mean) text += "  mean " + row.mean->text;
      if (row.sum) text += "  sum " + row.sum->text;
      if (row.ratio) text += "  ratio " + row.ratio->text;
      text += "\n";
    }
  }
  return text;
}

}  // namespace rig::cli
