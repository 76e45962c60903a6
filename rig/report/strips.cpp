// SPDX-License-Identifier: GPL-2.0-or-later
// Every figure that a boot gave: beside its cell's others, and in the order of execution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "rig/report/figures.h"
#include "rig/report/text.h"
#include "rig/report/words.h"

namespace rig::report {
namespace {

constexpr std::size_t most_rows = 30;    // of a figure; more stand in further ones
constexpr std::size_t most_figures = 4;  // of strips a section
constexpr double levels = 150;           // that can be seen apart along an axis of a small figure

std::string kernel_axis(const std::vector<std::string>& kernels, const std::string& kernel) {
  return series_style(static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), kernel) - kernels.begin()));
}

// Of many values those that would cover another's place are left out of the drawing: the figure is the same.
class Places {
 public:
  Places(double low, double high) : low_(low), scale_(high > low ? levels / (high - low) : 0) {}
  bool fresh(double x, double y) { return taken_.insert({x, std::floor((y - low_) * scale_)}).second; }

 private:
  double low_, scale_;
  std::set<std::pair<double, double>> taken_;
};

// About four names fit below the axis beside those of the cells.
std::string tic_step(double range) {
  if (!(range > 0) || !std::isfinite(range)) return "";
  const double power = std::pow(10, std::floor(std::log10(range / 4)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (range / (step * power) <= 4) return fmt::format("{:g}", step * power);
  }
  return "";
}

std::string row_name(const Section& section, const Row& row) {
  std::string text = row.label;
  if (section.placements) text += (text.empty() ? "" : ", ") + placement_label(row.cell->placement);
  return printable(row.cell->kernel) + (text.empty() ? "" : ", " + text);
}

std::string curves(const std::vector<std::string>& kernels, const std::vector<std::string>& all, const char* columns) {
  std::string out;
  for (const auto& kernel : kernels) {
    const auto number = static_cast<std::size_t>(&kernel - kernels.data());
    out += fmt::format("{}$curve{} using {} with points {} title {}", out.empty() ? "" : ", \\\n     ", number, columns,
                       kernel_axis(all, kernel), gnuplot_literal(printable(kernel)));
  }
  return out;
}

Plot strip_figure(const RunRecord& record, const Section& section, const std::vector<const Row*>& rows) {
  const auto kernels = kernels_in(record, section);
  std::vector<std::string> labels, data(kernels.size());
  std::size_t boots_drawn = 0;
  double low = rows.front()->summary.min, high = rows.front()->summary.max;
  for (const Row* row : rows) {
    low = std::min(low, row->summary.min);
    high = std::max(high, row->summary.max);
  }
  for (const Row* row : rows) {
    const auto kernel = std::find(kernels.begin(), kernels.end(), row->cell->kernel) - kernels.begin();
    const auto at = static_cast<double>(labels.size());
    Places places(low, high);
    std::size_t i = 0;
    for (const auto& one : row->by_repetition) {
      // beside each other in a fixed pattern, so that equal ones can be counted
      const double x = at + 0.12 * (static_cast<double>(i++ % 5) - 2);
      if (places.fresh(x, one.value))
        data[static_cast<std::size_t>(kernel)] += fmt::format("{:.2f} {}\n", x, one.value);
    }
    boots_drawn += row->by_repetition.size();
    labels.push_back(row_name(section, *row));
  }
  Plot plot;
  plot.name = figure_name(section.job + " " + section.topology + " samples");
  plot.title = section_name(section) + ", every boot";
  plot.description = fmt::format("Each of {} boots as a point of {} in {}, side by side by cell; from {} to {}.",
                                 boots_drawn, printable(section.metric.metric), printable(section.metric.unit),
                                 figure(low, decimals_for(high)), figure(high, decimals_for(high)));
  std::vector<std::string> used;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (data[i].empty()) continue;
    plot.script += fmt::format("$curve{} << EOD\n{}EOD\n", used.size(), data[i]);
    used.push_back(kernels[i]);
  }
  plot.key = used.size();
  plot.script += fmt::format("set xlabel {} offset 0,0.4 noenhanced\nset yrange [{}:-0.6]\n",
                             gnuplot_literal(printable(section.metric.metric) + ", " + printable(section.metric.unit)),
                             static_cast<double>(labels.size()) - 0.4);
  plot.script += axis_tics("y", labels);
  plot.strips = labels.size();
  plot.script += "set offsets graph 0.05, graph 0.05, 0, 0\nset key below left Left reverse maxcols 1 noenhanced\n";
  plot.script += fmt::format("set border 3\nset xtics nomirror {}\nset grid x\nplot ", tic_step(high - low)) +
                 curves(used, kernels, "2:1") + "\n";
  return plot;
}

}  // namespace

std::vector<Plot> strip_figures(const RunRecord& record, const Section& section) {
  std::vector<const Row*> rows;
  for (const auto& kernel : kernels_in(record, section)) {
    for (const auto& row : section.rows) {
      if (row.cell->kernel == kernel && row.summary.n >= 2) rows.push_back(&row);
    }
  }
  // the cells to be compared below each other
  std::vector<std::pair<std::string, std::string>> order;
  for (const auto& row : section.rows) {
    const std::pair key(row.cell->placement, row.label);
    if (std::find(order.begin(), order.end(), key) == order.end()) order.push_back(key);
  }
  const auto place = [&](const Row* row) {
    return std::find(order.begin(), order.end(), std::pair(row->cell->placement, row->label)) - order.begin();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) { return place(a) < place(b); });
  std::vector<Plot> plots;
  for (std::size_t begin = 0; begin < rows.size() && plots.size() < most_figures; begin += most_rows) {
    const auto end = std::min(begin + most_rows, rows.size());
    plots.push_back(strip_figure(
        record, section,
        {rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return plots;
}

std::vector<Plot> order_figures(const Lookup& lookup, const std::vector<Section>& sections) {
  const RunRecord& record = lookup.record();
  std::unordered_map<std::string, std::vector<std::size_t>> places;  // of a cell's attempts in the run
  for (std::size_t i = 0; i < record.attempts.size(); ++i) places[record.attempts[i].cell].push_back(i);
  std::vector<Plot> plots;
  for (const auto& section : sections) {
    const auto kernels = kernels_in(record, section);
    std::vector<std::string> data(kernels.size());
    double least = 0, most = 0;
    std::size_t drawn = 0;
    struct Point {
      std::size_t kernel;
      double x, y;
    };
    std::vector<Point> points;
    for (const auto& row : section.rows) {
      if (row.summary.n < 3 || !(row.summary.mean > 0)) continue;
      const auto kernel =
          static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), row.cell->kernel) - kernels.begin());
      std::unordered_map<int, std::size_t> of_repetition;
      for (const std::size_t place : places[row.cell->id]) {
        if (record.attempts[place].outcome == Outcome::Ok)
          of_repetition.try_emplace(record.attempts[place].repetition, place);
      }
      for (const auto& one : row.by_repetition) {
        const double away = 100 * (one.value / row.summary.mean - 1);
        least = std::min(least, away);
        most = std::max(most, away);
        points.push_back({kernel, static_cast<double>(of_repetition[one.repetition] + 1), away});
        ++drawn;
      }
    }
    if (points.size() < 3) continue;
    const double width = static_cast<double>(record.attempts.size()) / (2 * levels);
    Places taken(least, most);
    for (const auto& point : points) {
      // a column of the figure is as fine as can be seen
      const double column = width > 1 ? std::floor(point.x / width) : point.x;
      if (taken.fresh(column, point.y)) data[point.kernel] += fmt::format("{} {:.4g}\n", point.x, point.y);
    }
    Plot plot;
    plot.name = figure_name(section.job + " " + section.topology + " order");
    plot.title = section_name(section) + ", in the order of execution";
    plot.description = fmt::format(
        "{} boots in the order in which they were run, each as its departure from the mean of its cell, in %: from "
        "{:+.2f} to {:+.2f}. A trend along the axis would be drift of the host.",
        drawn, least, most);
    std::vector<std::string> used;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (data[i].empty()) continue;
      plot.script += fmt::format("$curve{} << EOD\n{}EOD\n", used.size(), data[i]);
      used.push_back(kernels[i]);
    }
    plot.key = used.size();
    plot.script +=
        "set xlabel 'attempt'\nset ylabel 'from the mean of its cell, %'\nset offsets graph 0.02, graph 0.02, graph "
        "0.05, graph 0.05\nset border 3\nset tics nomirror\nset key below left Left reverse maxcols 1 noenhanced\nset "
        "grid\nset xzeroaxis\nplot " +
        curves(used, kernels, "1:2") + "\n";
    plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace rig::report
