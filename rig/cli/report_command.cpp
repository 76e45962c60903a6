// SPDX-License-Identifier: GPL-2.0-or-later
// rig report RUN
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "rig/cli/command.h"
#include "rig/cli/draw_plots.h"
#include "rig/cli/progress_line.h"
#include "rig/record/record.h"
#include "rig/report/report.h"

namespace rig::cli {

Action define_report(CLI::App& app) {
  auto run = std::make_shared<std::string>();
  auto figures = std::make_shared<bool>(false);
  app.add_option("RUN", *run, "the run's directory")->required();
  app.add_flag("--figures", *figures, "also draw its figures anew, into the run's figures/");
  return [run, figures] {
    const RunRecord record = load_record(*run);
    const Judging judging = judging_of_run(*run, record);
    print(text_report(record, verdicts_of(record, judging), judging, terminal_width(STDOUT_FILENO, 100)));
    if (!*figures) return ExitCode::Done;
    const std::string drawn = draw_plots(record, std::filesystem::path(*run) / "figures");
    print("\n" + (drawn.empty() ? "there is nothing to draw: the run has no sweep" : drawn) + "\n");
    return ExitCode::Done;
  };
}

}  // namespace rig::cli
