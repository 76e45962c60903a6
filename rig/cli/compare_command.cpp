// SPDX-License-Identifier: GPL-2.0-or-later
// rig compare RUN_A RUN_B
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/output_file.h"
#include "rig/cli/progress_line.h"
#include "rig/cli/run_material.h"
#include "rig/record/record.h"
#include "rig/report/compare.h"

namespace rig::cli {
namespace {

struct Arguments {
  std::string a, b, format = "text", output;
};

// What a run is called: its directory, but for the path before it.
std::string name_of_run(const std::filesystem::path& run) {
  const auto path = run.lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

ExitCode execute(const Arguments& arguments) {
  const ReportFormat format = parse_format(arguments.format);
  if (format != ReportFormat::Text && format != ReportFormat::Markdown && format != ReportFormat::Html)
    throw InputError("--format: a comparison is written as text, md or html");
  std::error_code error;
  if (std::filesystem::equivalent(arguments.a, arguments.b, error))
    throw InputError(fmt::format("RUN_A and RUN_B are one run, {}: a run is set against another one", arguments.a));
  const RunRecord a = load_record(arguments.a), b = load_record(arguments.b);
  const Judging judging_a = judging_of_run(arguments.a, a), judging_b = judging_of_run(arguments.b, b);
  const auto machines_a = machines_of(arguments.a), machines_b = machines_of(arguments.b);
  std::string name_a = name_of_run(arguments.a), name_b = name_of_run(arguments.b);
  if (name_a == name_b) {
    name_a = arguments.a;
    name_b = arguments.b;
  }
  const int width = arguments.output.empty() ? terminal_width(STDOUT_FILENO, 100) : 100;
  const std::string report =
      compare_report({a, name_a, machines_a, &judging_a}, {b, name_b, machines_b, &judging_b}, format, width);
  OutputFile out(arguments.output);
  out.write(report);
  out.finish();
  return ExitCode::Done;
}

}  // namespace

Action define_compare(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("RUN_A", arguments->a, "a run's directory")->required();
  app.add_option("RUN_B", arguments->b, "the run set against it")->required();
  app.add_option("--format", arguments->format, "text, md or html (text)");
  app.add_option("-o,--output", arguments->output, "a file instead of standard output");
  return [arguments] { return execute(*arguments); };
}

}  // namespace rig::cli
