// SPDX-License-Identifier: GPL-2.0-or-later
// rig report RUN
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "rig/cli/command.h"
#include "rig/cli/progress_line.h"
#include "rig/record/record.h"
#include "rig/report/report.h"

namespace rig::cli {

Action define_report(CLI::App& app) {
  auto run = std::make_shared<std::string>();
  app.add_option("RUN", *run, "the run's directory")->required();
  return [run] {
    print(text_report(load_record(*run), terminal_width(STDOUT_FILENO, 100)));
    return ExitCode::Done;
  };
}

}  // namespace rig::cli
