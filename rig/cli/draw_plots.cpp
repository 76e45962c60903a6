// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/draw_plots.h"

#include <fmt/format.h>

#include "rig/base/base.h"
#include "rig/report/plot.h"

namespace rig::cli {
namespace {

// Why gnuplot did not draw it; empty where it did. A run must not end for that.
std::string drawing_fault(const std::string& name, const std::filesystem::path& directory) {
  const auto svg = directory / (name + ".svg");
  std::error_code error;
  std::filesystem::remove(svg, error);
  const auto ended =
      rig::run({.argv = {"gnuplot", name + ".gnuplot"}, .directory = directory, .limit = std::chrono::seconds(60)});
  if (ended.timed_out) return "gnuplot did not end within a minute";
  if (ended.exit_code != 0)
    return fmt::format("gnuplot ended with code {}: {}", ended.exit_code, ended.err.substr(0, 200));
  return std::filesystem::exists(svg) ? "" : "gnuplot made no file";
}

}  // namespace

std::string draw_plots(const RunRecord& record, const std::filesystem::path& directory) {
  const auto plots = plots_of(record);
  if (plots.empty()) return "";
  make_directories(directory);
  std::string fault = find_program("gnuplot") ? "" : "gnuplot is not installed";
  for (const auto& plot : plots) {
    // relative names, so that the folder can be moved and the script run again
    const std::string head = fmt::format(
        "set encoding utf8\nset terminal svg size 900,560 background rgb 'white' noenhanced\nset output '{}.svg'\n",
        plot.name);
    write_file(directory / (plot.name + ".gnuplot"), head + plot.script);
    if (fault.empty()) fault = drawing_fault(plot.name, directory);
  }
  const std::string count = plots.size() == 1 ? "1 figure" : fmt::format("{} figures", plots.size());
  if (!fault.empty()) return fmt::format("{} not drawn: {}; scripts are in {}", count, fault, directory.string());
  return fmt::format("{}: {}/*.svg", count, directory.string());
}

}  // namespace rig::cli
