// SPDX-License-Identifier: GPL-2.0-or-later
// The points of a sweep are one machine whose numbers are not known well: a modelled comparison is judged over all of
// them together, by the range of ratios over perturbed boots and over the numbers swept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "rig/verdict/baseline.h"

namespace rig::verdict {
namespace {

using Kind = BaselineVerdict::Kind;

std::string family_of(const RunRecord& record, const CellRecord& cell) {
  const auto machine = std::find_if(record.topologies.begin(), record.topologies.end(),
                                    [&](const TopologyRecord& topology) { return topology.name == cell.topology; });
  if (machine == record.topologies.end() || machine->swept.empty()) return "";
  return cell.topology.substr(0, cell.topology.find('@'));
}

struct Widest {
  double low = 0, high = 0, sum = 0;
  std::string at_low, at_high;  // the points
  std::size_t n = 0;
};

BaselineVerdict over_points(const RunRecord& record, const std::vector<const BaselineVerdict*>& points,
                            const std::string& family, const Rules& rules) {
  BaselineVerdict v = *points.front();
  v.points = points.size();
  v.family = family;
  v.kind = Kind::Undecided;
  v.reason.clear();
  v.flags.clear();
  v.within.reset();
  v.needed.reset();
  v.ratio.reset();
  Widest widest;
  std::vector<std::string> lacking;
  for (const auto* one : points) {
    const auto cell = std::find_if(record.cells.begin(), record.cells.end(),
                                   [&](const CellRecord& known) { return known.id == one->cell; });
    const std::string point = cell->topology.substr(std::min(cell->topology.size(), family.size() + 1));
    if (!one->ratio || one->metric != v.metric) {
      lacking.push_back(point);
      continue;
    }
    v.n = std::min(v.n, one->n);
    v.n_baseline = std::min(v.n_baseline, one->n_baseline);
    const auto [low, high] = one->ratio->interval.value_or(std::pair{one->ratio->value, one->ratio->value});
    if (widest.n == 0 || low < widest.low) std::tie(widest.low, widest.at_low) = std::pair(low, point);
    if (widest.n == 0 || high > widest.high) std::tie(widest.high, widest.at_high) = std::pair(high, point);
    widest.sum += one->ratio->value;
    ++widest.n;
  }
  if (!lacking.empty())
    v.flags.push_back(fmt::format("{} of {} points without a figure to compare, the first {}", lacking.size(),
                                  points.size(), lacking.front()));
  if (widest.n < fewest_modelled) {
    v.reason =
        fmt::format("{} point{} with figures: a range takes {}", widest.n, widest.n == 1 ? "" : "s", fewest_modelled);
    return v;
  }
  v.ratio = Ratio{widest.sum / static_cast<double>(widest.n), std::pair{widest.low, widest.high}};
  v.flags.push_back(fmt::format("lowest at {}, highest at {}", widest.at_low, widest.at_high));
  const double reach = std::max(std::abs(widest.low - 1), std::abs(widest.high - 1));
  if (!v.rank_only && reach <= rules.margin) {
    v.kind = Kind::NoDifference;
    v.within = reach;
  } else if (widest.low > 1 || widest.high < 1) {
    v.kind = (widest.low > 1) == v.higher_is_better ? Kind::Better : Kind::Worse;
  } else {
    v.reason = "over the sweep the ratios lie on both sides of 1";
  }
  return v;
}

}  // namespace

std::vector<BaselineVerdict> over_sweeps(const RunRecord& record, std::vector<BaselineVerdict> verdicts,
                                         const Rules& rules) {
  using Key = std::tuple<std::string, std::string, std::string, std::map<std::string, std::string>, std::string>;
  std::map<std::string, const CellRecord*> cells;
  for (const auto& cell : record.cells) cells.emplace(cell.id, &cell);
  const auto key_of = [&](const BaselineVerdict& v) {
    const CellRecord& cell = *cells.at(v.cell);
    return Key{v.fidelity == Fidelity::Kind::Modelled ? family_of(record, cell) : "", cell.kernel, cell.job,
               cell.parameters, cell.placement};
  };
  std::map<Key, std::vector<const BaselineVerdict*>> groups;
  for (const auto& v : verdicts) groups[key_of(v)].push_back(&v);
  std::vector<BaselineVerdict> out;
  for (const auto& v : verdicts) {
    const Key key = key_of(v);
    const auto& group = groups.at(key);
    if (std::get<0>(key).empty())
      out.push_back(v);
    else if (group.front() == &v)
      out.push_back(over_points(record, group, std::get<0>(key), rules));
  }
  return out;
}

}  // namespace rig::verdict
