// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/draw_plots.h"

#include <fmt/format.h>

#include <optional>

#include "rig/base/base.h"
#include "rig/base/temporary.h"
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

// One gnuplot draws as many as it can: to start it anew for each costs more than to draw.
void draw_together(const std::vector<const Plot*>& plots, const std::filesystem::path& directory,
                   std::map<std::string, std::string>& drawn, std::string& fault) {
  std::string script;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    script += fmt::format(
        "reset session\nset encoding utf8\nset terminal svg size {},{} dynamic noenhanced font 'sans-serif,13'\nset "
        "output '{}.svg'\n{}set output\n",
        plot_width, plot_height(*plots[i]), i, plots[i]->script);
  }
  const auto ended = rig::run({.argv = {"gnuplot", "-"},
                               .directory = directory,
                               .input = std::move(script),
                               .limit = std::chrono::seconds(60)});
  if (ended.timed_out)
    fault = "gnuplot did not end within a minute";
  else if (ended.exit_code != 0)
    fault = fmt::format("gnuplot ended with code {}: {}", ended.exit_code, ended.err.substr(0, 200));
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const auto file = directory / fmt::format("{}.svg", i);
    if (std::filesystem::exists(file)) drawn[plots[i]->name] = read_file(file);
    std::error_code error;
    std::filesystem::remove(file, error);
  }
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
        "set encoding utf8\nset terminal svg size {},{} fixed background rgb 'white' noenhanced\nset output "
        "'{}.svg'\nset title {} noenhanced\n",
        3 * plot_width / 2, 3 * plot_height(plot) / 2, plot.name, gnuplot_literal(plot.title));
    write_file(directory / (plot.name + ".gnuplot"), head + plot.script);
    if (fault.empty()) fault = drawing_fault(plot.name, directory);
  }
  const std::string count = plots.size() == 1 ? "1 figure" : fmt::format("{} figures", plots.size());
  if (!fault.empty()) return fmt::format("{} not drawn: {}; scripts are in {}", count, fault, directory.string());
  return fmt::format("{}: {}/*.svg", count, directory.string());
}

std::map<std::string, std::string> draw_for_page(const std::vector<Plot>& plots, std::string& fault) {
  std::map<std::string, std::string> drawn;
  if (plots.empty()) return drawn;
  if (!find_program("gnuplot")) {
    fault = "gnuplot is not installed";
    return drawn;
  }
  // a page without figures is better than none, where there is nowhere to draw them
  std::optional<TempDir> directory;
  try {
    directory.emplace(temporary_directory(), "rig-figures");
  } catch (const Error& none) {
    fault = std::string("there is no room for temporary files: ") + none.what();
    return drawn;
  }
  std::vector<const Plot*> all;
  for (const auto& plot : plots) all.push_back(&plot);
  draw_together(all, directory->path(), drawn, fault);
  if (fault.empty()) return drawn;
  // One that cannot be drawn ends gnuplot and takes those behind it along: each by itself then.
  for (const Plot* plot : all) {
    std::string of_this;
    if (!drawn.contains(plot->name)) draw_together({plot}, directory->path(), drawn, of_this);
    if (!of_this.empty()) {
      drawn.erase(plot->name);  // half a figure is none
      fault = of_this;
    }
  }
  return drawn;
}

}  // namespace rig::cli
