// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/draw_plots.h"

#include <fmt/format.h>

#include "rig/base/base.h"
#include "rig/report/plot.h"

namespace rig::cli {

std::string draw_plots(const RunRecord& record, const std::filesystem::path& directory) {
  const auto plots = plots_of(record);
  if (plots.empty()) return "";
  make_directories(directory);
  const bool able = find_program("gnuplot").has_value();
  for (const auto& plot : plots) {
    // relative names, so that the folder can be moved and the script run again
    const std::string head = fmt::format(
        "set encoding utf8\nset terminal svg size 900,560 background rgb 'white' noenhanced\nset output '{}.svg'\n",
        plot.name);
    write_file(directory / (plot.name + ".gnuplot"), head + plot.script);
    if (able)
      run_checked(
          {.argv = {"gnuplot", plot.name + ".gnuplot"}, .directory = directory, .limit = std::chrono::seconds(60)});
  }
  const std::string count = plots.size() == 1 ? "1 figure" : fmt::format("{} figures", plots.size());
  if (!able) return fmt::format("{} not drawn: gnuplot is not installed; scripts are in {}", count, directory.string());
  return fmt::format("{}: {}/*.svg", count, directory.string());
}

}  // namespace rig::cli
