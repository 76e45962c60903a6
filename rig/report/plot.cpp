// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/base/units.h"
#include "rig/report/figures.h"
#include "rig/report/sweep.h"
#include "rig/report/text.h"

namespace rig {
namespace report {
namespace {

constexpr std::size_t most_curves = 12;  // more cannot be told apart

struct Value {
  double number = 0;
  std::string unit;
};

// "150 ns" in its parts; nothing for what is no number.
std::optional<Value> value_of(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = parse_number(std::string_view(text).substr(0, end));
  if (!number) return std::nullopt;
  const std::size_t unit = std::min(text.find_first_not_of(' ', end), text.size());
  return Value{*number, text.substr(unit)};
}

// Where each value of a path stands: by number where all are numbers of one unit, else in their order.
struct Axis {
  std::string label;
  std::vector<std::string> values;  // in the order of the points
  bool numeric = true;
  double at(const std::string& value) const {
    if (numeric) return value_of(value)->number;
    return static_cast<double>(std::find(values.begin(), values.end(), value) - values.begin());
  }
};

Axis axis_of(const Section& section, std::size_t path) {
  Axis axis;
  for (const auto* point : section.points) {
    const std::string& value = point->swept[path].value;
    if (std::find(axis.values.begin(), axis.values.end(), value) == axis.values.end()) axis.values.push_back(value);
  }
  const auto first = value_of(axis.values.front());
  axis.numeric = std::all_of(axis.values.begin(), axis.values.end(), [&](const std::string& text) {
    const auto value = value_of(text);
    return value && first && value->unit == first->unit;
  });
  axis.label = printable(section.points.front()->swept[path].path);
  if (axis.numeric && !first->unit.empty()) axis.label += ", " + printable(first->unit);
  return axis;
}

// The points that differ in one path alone, by the setting of the others; those of one point show nothing.
std::vector<std::pair<std::string, std::vector<std::size_t>>> series_of(const Section& section, std::size_t path) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> all;
  for (std::size_t i = 0; i < section.points.size(); ++i) {
    std::string others;
    const auto& swept = section.points[i]->swept;
    for (std::size_t other = 0; other < swept.size(); ++other) {
      if (other != path) others += ", " + printable(swept[other].path) + " " + printable(swept[other].value);
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == others; });
    if (found == all.end())
      all.push_back({others, {i}});
    else
      found->second.push_back(i);
  }
  std::erase_if(all, [](const auto& one) { return one.second.size() < 2; });
  if (all.size() == 1) all.front().first.clear();  // nothing to tell it from
  return all;
}

struct Line {
  std::string title;
  std::string data;  // x, mean, low, high
};

std::vector<Line> lines_of(const Section& section, const Panel& panel, std::size_t path, const Axis& axis) {
  std::vector<Line> lines;
  for (const auto& [others, points] : series_of(section, path)) {
    for (const auto& curve : panel.curves) {
      std::vector<std::pair<double, const Summary*>> drawn;
      for (const std::size_t i : points) {
        const Row* row = curve.rows[i];
        if (row != nullptr && row->summary.n > 0)
          drawn.emplace_back(axis.at(section.points[i]->swept[path].value), &row->summary);
      }
      if (drawn.size() < 2) continue;
      std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      Line line;
      line.title =
          printable(curve.kernel) + (curve.placement.empty() ? "" : ", " + placement_label(curve.placement)) + others;
      for (const auto& [x, figures] : drawn)
        line.data += fmt::format("{} {} {} {}\n", x, figures->mean, figures->min, figures->max);
      lines.push_back(std::move(line));
    }
  }
  if (lines.size() > most_curves) lines.resize(most_curves);
  return lines;
}

Plot plot_of(const Section& section, const Panel& panel, std::size_t path, const std::vector<Line>& lines,
             const Axis& axis) {
  const std::string title = fmt::format("{} on {}{}", printable(section.job), printable(section.topology),
                                        panel.label.empty() ? "" : ", " + panel.label);
  const std::string& swept = section.points.front()->swept[path].path;
  Plot plot;
  plot.name = figure_name(section.job + " " + section.topology + " " + panel.label + " " + swept);
  std::string& script = plot.script;
  for (std::size_t i = 0; i < lines.size(); ++i) script += fmt::format("$curve{} << EOD\n{}EOD\n", i, lines[i].data);
  plot.title = title + ", by " + axis.label;
  plot.key = lines.size();
  plot.description = fmt::format("{}, {}, against {}; ranges over boots as bars. The table has the figures.",
                                 printable(section.metric.metric), printable(section.metric.unit), axis.label);
  script += "set xlabel " + gnuplot_literal(axis.label) + " noenhanced\n";
  script += "set ylabel " + gnuplot_literal(printable(section.metric.metric) + ", " + printable(section.metric.unit)) +
            " noenhanced\n";
  script +=
      "set yrange [0:*]\nset offsets graph 0.05, graph 0.05, graph 0.05, 0\nset border 3\nset tics nomirror\nset key "
      "below left Left reverse maxcols 1 "
      "noenhanced\nset "
      "grid\n";
  if (!axis.numeric) {
    script += "set xtics noenhanced (";
    for (std::size_t i = 0; i < axis.values.size(); ++i)
      script += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_literal(printable(axis.values[i])), i);
    script += ")\n";
  }
  script += "plot ";
  for (std::size_t i = 0; i < lines.size(); ++i)
    script += fmt::format("{}$curve{} using 1:2:3:4 with yerrorlines {} title {}", i == 0 ? "" : ", \\\n     ", i,
                          series_style(i), gnuplot_literal(lines[i].title));
  script += "\n";
  return plot;
}

}  // namespace

std::vector<Plot> sweep_figures(const RunRecord& record, const Section& section) {
  std::vector<Plot> plots;
  if (section.points.empty()) return plots;
  for (std::size_t path = 0; path < section.points.front()->swept.size(); ++path) {
    const Axis axis = axis_of(section, path);
    for (const auto& panel : panels_of(record, section)) {
      const auto lines = lines_of(section, panel, path, axis);
      if (!lines.empty()) plots.push_back(plot_of(section, panel, path, lines, axis));
    }
  }
  return plots;
}

}  // namespace report

std::vector<Plot> plots_of(const RunRecord& record) {
  using namespace report;
  std::vector<Plot> plots;
  const Lookup lookup(record);
  for (const auto& section : sections_of(lookup)) {
    for (auto& plot : sweep_figures(record, section)) plots.push_back(std::move(plot));
  }
  std::set<std::string> taken;
  name_apart(plots, taken);
  return plots;
}

}  // namespace rig
