// SPDX-License-Identifier: GPL-2.0-or-later
// rig report RUN
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/draw_plots.h"
#include "rig/cli/output_file.h"
#include "rig/cli/progress_line.h"
#include "rig/cli/run_material.h"
#include "rig/record/record.h"

namespace rig::cli {
namespace {

struct Arguments {
  std::string run, format = "text", output;
  bool figures = false;
};

ExitCode execute(const Arguments& arguments) {
  const ReportFormat format = parse_format(arguments.format);
  if (arguments.figures && format != ReportFormat::Text)
    throw InputError("--figures goes with --format text: a page has its figures in it");
  const RunRecord record = load_record(arguments.run);
  const Material material = material_of(record, arguments.run, format);
  if (arguments.output.empty() && format == ReportFormat::Text) {
    print(text_report(record, *material.verdicts, *material.judging, terminal_width(STDOUT_FILENO, 100)));
  } else {
    OutputFile out(arguments.output);
    write_report(record, format, material, [&](std::string_view piece) { out.write(piece); });
    out.finish();
  }
  if (!arguments.figures) return ExitCode::Done;
  const std::string drawn = draw_plots(record, std::filesystem::path(arguments.run) / "figures");
  print("\n" + (drawn.empty() ? "there is nothing to draw: the run has no sweep" : drawn) + "\n");
  return ExitCode::Done;
}

}  // namespace

ReportFormat parse_format(const std::string& word) {
  if (const auto format = parse_report_format(word)) return *format;
  const std::string near = nearest(word, report_formats());
  throw InputError(fmt::format("--format: '{}' is no format\n  allowed: {}{}", word, one_of(report_formats()),
                               near.empty() ? "" : fmt::format("\n  did you mean '{}'?", near)));
}

Action define_report(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("RUN", arguments->run, "the run's directory")->required();
  app.add_option("--format", arguments->format, "text, md, json, csv, junit, ktap or html (text)");
  app.add_option("-o,--output", arguments->output, "a file instead of standard output");
  app.add_flag("--figures", arguments->figures, "also draw its sweeps anew, into the run's figures/");
  return [arguments] { return execute(*arguments); };
}

}  // namespace rig::cli
