// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rig/report/text.h"
#include "rig/report/words.h"
#include "rig/stats/interval.h"

namespace rig {

int plot_height(const Plot& plot) {
  const auto body = plot.strips > 0 ? 90 + 24 * plot.strips : 330;
  return static_cast<int>(body + 20 * plot.key);
}

// gnuplot's single quotes take everything literally but themselves, and it does not read a doubled one aright
// everywhere (5.4): an apostrophe stands for it.
std::string gnuplot_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("\u2019") : std::string(1, c);
  return out + "'";
}

namespace report {
namespace {

constexpr std::size_t most_series = 16;     // more cannot be told apart
constexpr std::size_t most_places = 40;     // on the axis
constexpr std::size_t most_described = 12;  // figures told in words

struct Series {
  std::string name;
  std::map<std::size_t, const Row*> rows;  // by place on the axis
};

// A published figure and where it belongs.
struct Point {
  std::size_t place = 0;
  double value = 0;
};

struct Chart {
  std::vector<std::string> places;  // what stands along the axis
  std::vector<Series> series;
  std::vector<std::pair<std::string, std::vector<Point>>> published;  // by the published kernel, or the placement
};

std::size_t place_of(std::vector<std::string>& all, const std::string& name) {
  const auto found = std::find(all.begin(), all.end(), name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  all.push_back(name);
  return all.size() - 1;
}

// Throughput by clients: a series a kernel. Latency by kernel, as the graph of 2009: a series a placement.
Chart chart_of(const RunRecord& record, const Section& section) {
  Chart chart;
  std::vector<std::string> names;
  if (section.placements) chart.places = kernels_in(record, section);
  for (auto& kernel : chart.places) kernel = printable(kernel);
  for (const auto& kernel : kernels_in(record, section)) {
    for (const auto& row : section.rows) {
      if (row.cell->kernel != kernel || row.summary.n == 0) continue;
      std::string name = printable(kernel), place = row.label.empty() ? "all" : row.label;
      if (section.placements) {
        place = name;
        name = placement_label(row.cell->placement) + (row.label.empty() ? "" : ", " + row.label);
      }
      const std::size_t at = place_of(chart.places, place), series = place_of(names, name);
      if (series == chart.series.size()) chart.series.push_back({name, {}});
      chart.series[series].rows.emplace(at, &row);
    }
  }
  if (chart.series.size() > most_series) chart.series.resize(most_series);
  return chart;
}

// The published figures of the chart's cells. None where figures mean nothing, or where the post's packets crossed
// something else: then only differences can be compared.
void add_published(Chart& chart, const Section& section, const Material& material) {
  if (!material.verdicts) return;
  for (const auto& one : material.verdicts->beside) {
    if (one.cell == nullptr || one.table == nullptr || one.table->metrics.empty()) continue;
    if (one.table->metrics.front() != section.metric.metric || one.table->unit != section.metric.unit) continue;
    if (one.job != nullptr && !one.table->path.empty() && one.table->path != one.job->path) continue;
    for (const auto& series : chart.series) {
      for (const auto& [place, row] : series.rows) {
        if (row->cell != one.cell) continue;
        const std::string name = "published, " + (section.placements ? series.name : printable(one.row->kernel));
        auto found = std::find_if(chart.published.begin(), chart.published.end(),
                                  [&](const auto& points) { return points.first == name; });
        if (found == chart.published.end()) found = chart.published.insert(found, {name, {}});
        found->second.push_back({place, value_of(*one.table, *one.row)});
      }
    }
  }
}

std::string description_of(const Chart& chart, const Section& section) {
  std::string text =
      fmt::format("{} in {} by {}.", printable(section.metric.metric), printable(section.metric.unit),
                  section.placements ? "kernel, a line for each placement" : "cell, a line for each kernel");
  std::size_t told = 0;
  for (const auto& series : chart.series) {
    if (told >= most_described) break;
    text += " " + series.name + ":";
    for (const auto& [place, row] : series.rows) {
      text += fmt::format("{} {} {}", place == series.rows.begin()->first ? "" : ",", chart.places[place],
                          figure(row->summary.mean, decimals_for(largest(section))));
      if (++told >= most_described) break;
    }
    text += ".";
  }
  return text + (told >= most_described ? " The table has the rest." : "");
}

// Where the bars reach: of measured figures the mean's 95 % interval, else over the boots.
std::pair<double, double> bars_of(const RunRecord& record, const Row& row) {
  if (record.accelerator == "kvm" && row.summary.n >= 2) {
    if (const auto interval = mean_interval(values_in(row.by_repetition))) return {interval->low, interval->high};
  }
  return {row.summary.min, row.summary.max};
}

std::optional<Plot> by_cell(const RunRecord& record, const Section& section, const Material& material) {
  Chart chart = chart_of(record, section);
  if (record.accelerator == "kvm" || record.accelerator == "model") add_published(chart, section, material);
  if (chart.places.empty() || chart.places.size() > most_places || chart.series.empty()) return std::nullopt;
  if (chart.places.size() * chart.series.size() < 2) return std::nullopt;
  Plot plot;
  plot.title = section_name(section) + ", " + printable(section.metric.metric);
  plot.name = figure_name(section.job + " " + section.topology + " " + section.metric.metric);
  plot.description = description_of(chart, section);
  plot.description += record.accelerator == "kvm" ? " Bars: 95 % intervals of the means."
                                                  : " Bars: from the lowest boot to the highest.";
  for (const auto& [name, points] : chart.published) {
    plot.description += " " + name + ":";
    for (const auto& point : points)
      plot.description += fmt::format("{} {} {}", &point == &points.front() ? "" : ",", chart.places[point.place],
                                      figure(point.value, decimals_for(largest(section))));
    plot.description += ".";
  }
  plot.key = chart.series.size() + chart.published.size();
  std::string& script = plot.script;
  // side by side at one place, so that bars do not cover each other
  const double step = std::min(0.08, 0.5 / static_cast<double>(chart.series.size()));
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    script += fmt::format("$curve{} << EOD\n", i);
    const double aside = step * (static_cast<double>(i) - static_cast<double>(chart.series.size() - 1) / 2);
    for (const auto& [place, row] : chart.series[i].rows) {
      const auto [low, high] = bars_of(record, *row);
      script += fmt::format("{} {} {} {}\n", static_cast<double>(place) + aside, row->summary.mean, low, high);
    }
    script += "EOD\n";
  }
  for (std::size_t i = 0; i < chart.published.size(); ++i) {
    script += fmt::format("$published{} << EOD\n", i);
    for (const auto& point : chart.published[i].second) script += fmt::format("{} {}\n", point.place, point.value);
    script += "EOD\n";
  }
  script += fmt::format("set ylabel {} noenhanced\n",
                        gnuplot_literal(printable(section.metric.metric) + ", " + printable(section.metric.unit)));
  // lines and points, not areas: latencies that differ by a tenth must be told apart
  script += section.placements ? "" : "set yrange [0:*]\n";
  script += fmt::format("set xrange [-0.5:{}]\n", static_cast<double>(chart.places.size()) - 0.5);
  script += axis_tics("x", chart.places);
  script +=
      "set offsets 0, 0, graph 0.05, 0\nset border 3\nset tics nomirror\nset key below left Left reverse maxcols 1 "
      "noenhanced\nset grid\nplot ";
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    script += fmt::format("{}$curve{} using 1:2:3:4 with yerrorlines {} title {}", i == 0 ? "" : ", \\\n     ", i,
                          series_style(i), gnuplot_literal(chart.series[i].name));
  static constexpr int signs[] = {3, 2, 1, 14};  // of no series
  for (std::size_t i = 0; i < chart.published.size(); ++i)
    script += fmt::format(", \\\n     $published{} using 1:2 with points lc rgb 'black' pt {} ps 1 title {}", i,
                          signs[i % std::size(signs)], gnuplot_literal(chart.published[i].first));
  script += "\n";
  return plot;
}

}  // namespace

const std::vector<std::string>& series_colours() {
  // Okabe and Ito's, which colour-blind readers tell apart; yellow darkened for white paper
  static const std::vector<std::string> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#8a6d00", "#56b4e9", "#e69f00", "#7f7f7f"};
  return colours;
}

std::string series_style(std::size_t series) {
  static constexpr int points[] = {6, 4, 8, 12, 10, 7, 5, 9, 13, 11};
  const auto& colours = series_colours();
  return fmt::format("lc rgb '{}' lw 1.5 pt {} ps 0.8 dt {}", colours[series % colours.size()],
                     points[series % std::size(points)], 1 + series % 4);
}

std::string figure_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "figure" : out;
}

void name_apart(std::vector<Plot>& plots, std::set<std::string>& taken) {
  for (auto& plot : plots) {
    const std::string name = plot.name;
    for (int again = 2; !taken.insert(plot.name).second; ++again) plot.name = fmt::format("{}-{}", name, again);
  }
}

std::string axis_tics(const std::string& axis, const std::vector<std::string>& labels) {
  const bool upright = axis == "y";
  std::size_t all = 0;
  for (const auto& label : labels) all += columns(label) + 2;
  std::string out = "set " + axis + "tics nomirror noenhanced " + (!upright && all > 60 ? "rotate by -35 left (" : "(");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t most = upright ? 40 : 28;  // of more nothing would be left of the figure
    std::string label = labels[i];
    if (columns(label) > most) {
      while (columns(label) >= most || (!label.empty() && (static_cast<unsigned char>(label.back()) & 0xC0U) == 0x80))
        label.pop_back();
      label += "\u2026";
    }
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_literal(label), i);
  }
  return out + ")\n";
}

std::vector<Plot> section_figures(const Lookup& lookup, const Section& section, const Material& material) {
  const RunRecord& record = lookup.record();
  if (section.metric.metric.empty()) return {};
  std::vector<Plot> plots;
  if (!section.points.empty()) {
    plots = sweep_figures(record, section);
  } else {
    if (auto plot = by_cell(record, section, material)) plots.push_back(std::move(*plot));
    for (auto& plot : strip_figures(record, section)) plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace report
}  // namespace rig
