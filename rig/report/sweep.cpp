// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/report/text.h"

namespace rig::report {
namespace {

std::string short_path(const std::string& path) {
  constexpr std::string_view timing = "timing.";
  return printable(path.starts_with(timing) ? path.substr(timing.size()) : path);
}

std::string curve_name(const Panel& panel, const Curve& curve) {
  const bool by_kernel = std::any_of(panel.curves.begin(), panel.curves.end(),
                                     [&](const Curve& other) { return other.kernel != curve.kernel; });
  return by_kernel || panel.curves.size() == 1 ? printable(curve.kernel) : placement_label(curve.placement);
}

enum class Lie { Below, Above, Undecided };

// How a lies to b at one point: by the whole interval or range where there is one.
Lie lie_of(const Ratio& ratio) {
  const auto [low, high] = ratio.interval.value_or(std::pair{ratio.value, ratio.value});
  return high < 1 ? Lie::Below : low > 1 ? Lie::Above : Lie::Undecided;
}

// Of two curves, with the direction that most points have.
std::optional<Claim> claim_of(const Section& section, const Curve& a, const Curve& b) {
  struct At {
    std::string label;
    double ratio;
    Lie lie;
  };
  std::vector<At> all;
  Claim claim;
  for (std::size_t i = 0; i < section.points.size(); ++i) {
    const bool planned = a.rows[i] != nullptr && b.rows[i] != nullptr;
    const auto ratio = planned
                           ? ratio_in(section, values_in(a.rows[i]->by_repetition), values_in(b.rows[i]->by_repetition))
                           : std::nullopt;
    const std::string label = point_label(section, *section.points[i]);
    if (ratio && ratio->value > 0)
      all.push_back({label, ratio->value, lie_of(*ratio)});
    else
      claim.absent.push_back(label);
  }
  if (all.size() < 2) return std::nullopt;
  const auto count = [&](Lie lie) {
    return std::count_if(all.begin(), all.end(), [&](const At& at) { return at.lie == lie; });
  };
  const bool below = count(Lie::Below) >= count(Lie::Above);
  const auto name = [&](const Curve& curve) { return a.kernel != b.kernel ? curve.kernel : curve.placement; };
  claim.lower = printable(name(below ? a : b));
  claim.upper = printable(name(below ? b : a));
  claim.points = all.size();
  for (const auto& at : all) {
    const double ratio = below ? at.ratio : 1 / at.ratio;
    claim.least = &at == &all.front() ? ratio : std::min(claim.least, ratio);
    claim.most = &at == &all.front() ? ratio : std::max(claim.most, ratio);
    if (at.lie == Lie::Undecided)
      claim.undecided.push_back(at.label);
    else if ((at.lie == Lie::Below) != below)
      claim.against.push_back(at.label);
  }
  return claim;
}

std::string cell_text(const Row* row, const Section& section, int decimals, Legend& legend) {
  if (row == nullptr) return "";
  if (!row->trouble.empty()) return row->trouble;
  const std::string text = figure(row->summary.mean, decimals);
  if (row->summary.n == 1) legend.single = true;
  if (row->summary.n < 2 || !section.perturbed) return text;
  legend.range = true;
  return text + fmt::format(" ({} to {})", figure(row->summary.min, decimals), figure(row->summary.max, decimals));
}

std::string ratio_cell(const Row* row, const Section& section, Legend& legend) {
  if (row == nullptr || !row->ratio) return "-";
  std::string text = fmt::format("{:.3f}", row->ratio->value);
  if (!row->ratio->interval) return text;
  (section.perturbed ? legend.range : legend.interval) = true;
  return text + fmt::format(" [{:.3f}, {:.3f}]", row->ratio->interval->first, row->ratio->interval->second);
}

}  // namespace

Grid panel_grid(const RunRecord& record, const Section& section, const Panel& panel, Legend& legend) {
  double largest = 0;
  for (const auto& row : section.rows) largest = std::max({largest, row.summary.max, row.summary.mean});
  const int decimals = decimals_for(largest);
  const bool has_baseline = std::any_of(panel.curves.begin(), panel.curves.end(),
                                        [&](const Curve& curve) { return curve.kernel == record.baseline; });
  const auto compared = [&](const Curve& curve) { return has_baseline && curve.kernel != record.baseline; };
  Grid grid;
  grid.head = {swept_paths(section)};
  for (const auto& curve : panel.curves) {
    grid.head.push_back(curve_name(panel, curve));
    if (compared(curve)) grid.head.push_back("vs " + printable(record.baseline));
  }
  grid.align.assign(grid.head.size(), Align::Right);
  if (section.points.front()->swept.size() > 1) grid.align.front() = Align::Left;
  for (std::size_t i = 0; i < section.points.size(); ++i) {
    std::vector<std::string> cells = {point_label(section, *section.points[i])};
    for (const auto& curve : panel.curves) {
      cells.push_back(cell_text(curve.rows[i], section, decimals, legend));
      if (compared(curve)) cells.push_back(ratio_cell(curve.rows[i], section, legend));
    }
    grid.rows.push_back({std::move(cells)});
  }
  return grid;
}

std::vector<Panel> panels_of(const RunRecord& record, const Section& section) {
  const bool by_kernel = kernels_in(record, section).size() > 1;
  std::vector<Panel> panels;
  for (const auto& row : section.rows) {
    std::string label = row.label;
    if (by_kernel && section.placements) label += (label.empty() ? "" : ", ") + placement_label(row.cell->placement);
    auto panel = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return p.label == label; });
    if (panel == panels.end()) panel = panels.insert(panels.end(), Panel{label, {}});
    auto curve = std::find_if(panel->curves.begin(), panel->curves.end(), [&](const Curve& c) {
      return c.kernel == row.cell->kernel && c.placement == row.cell->placement;
    });
    if (curve == panel->curves.end()) {
      curve = panel->curves.insert(panel->curves.end(), Curve{row.cell->kernel, row.cell->placement,
                                                              std::vector<const Row*>(section.points.size(), nullptr)});
    }
    for (std::size_t i = 0; i < section.points.size(); ++i) {
      if (section.points[i]->name == row.cell->topology) curve->rows[i] = &row;
    }
  }
  return panels;
}

std::string swept_paths(const Section& section) {
  std::string text;
  const auto& swept = section.points.front()->swept;
  if (swept.size() > 3) return fmt::format("{} numbers", swept.size());
  for (std::size_t i = 0; i < swept.size(); ++i)
    text += (i == 0 ? "" : i + 1 == swept.size() ? " and " : ", ") + short_path(swept[i].path);
  return text;
}

std::string point_label(const Section& section, const TopologyRecord& point) {
  if (section.points.front()->swept.size() == 1) return printable(point.swept.front().value);
  const auto at = point.name.find('@');
  return at == std::string::npos ? printable(point.name) : printable(point.name.substr(at + 1));
}

std::vector<Claim> claims_of(const RunRecord& record, const Section& section, const Panel& panel) {
  const auto base = std::find_if(panel.curves.begin(), panel.curves.end(),
                                 [&](const Curve& curve) { return curve.kernel == record.baseline; });
  const bool by_kernel = std::any_of(panel.curves.begin(), panel.curves.end(),
                                     [&](const Curve& curve) { return curve.kernel != panel.curves.front().kernel; });
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    const Curve* other = nullptr;  // kernels against the baseline, placements against the one before
    if (by_kernel && base != panel.curves.end() && curve.kernel != record.baseline) other = &*base;
    if (!by_kernel && i > 0) other = &panel.curves[i - 1];
    if (other == nullptr) continue;
    const auto claim = by_kernel ? claim_of(section, curve, *other) : claim_of(section, *other, curve);
    if (claim) claims.push_back(*claim);
  }
  return claims;
}

std::string claim_text(const Claim& claim) {
  const auto list = [](const std::vector<std::string>& labels) {
    std::string text;
    for (const auto& label : labels) text += (text.empty() ? "" : ", ") + label;
    return text;
  };
  const std::size_t holds = claim.points - claim.against.size() - claim.undecided.size();
  std::string text = fmt::format("{} < {} ", claim.lower, claim.upper);
  const std::size_t swept = claim.points + claim.absent.size();
  text += holds == swept ? fmt::format("holds for every value swept ({})", swept)
                         : fmt::format("holds for {} of {} values swept", holds, swept);
  if (!claim.against.empty()) text += "; the other way round at " + list(claim.against);
  if (!claim.undecided.empty()) text += "; undecided at " + list(claim.undecided);
  if (!claim.absent.empty()) text += "; without figures at " + list(claim.absent);
  return text + fmt::format("; ratio {:.3f} to {:.3f}.", claim.least, claim.most);
}

std::string sweep_text(const RunRecord& record, const Section& section, std::size_t width, Legend& legend) {
  std::string out;
  for (const auto& panel : panels_of(record, section)) {
    if (!panel.label.empty()) out += panel.label + "\n";
    out += grid_text(panel_grid(record, section, panel, legend), 2, 60);
    for (const auto& claim : claims_of(record, section, panel))
      out += "  " + wrap(claim_text(claim), width - 2, 4) + "\n";
  }
  return out;
}

}  // namespace rig::report
