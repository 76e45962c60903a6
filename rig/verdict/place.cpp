// SPDX-License-Identifier: GPL-2.0-or-later
// Which cell of a run stands for which published row.
#include <fmt/format.h>

#include <algorithm>

#include "rig/verdict/claims.h"

namespace rig::verdict {
namespace {

bool agrees(const CellRecord& cell, const std::map<std::string, std::string>& wanted, bool must_have) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
    const auto found = cell.parameters.find(pair.first);
    return found == cell.parameters.end() ? !must_have : found->second == pair.second;
  });
}

}  // namespace

Place place_of(const RunRecord& record, const Judging& judging, const PublishedTable& table, const PublishedRow& row) {
  std::string kernel;
  for (const auto& [own, published] : judging.stands_for) {
    if (published == row.kernel) kernel = own;
  }
  Place place;
  const auto absent = [&](const std::string& lack) {
    place.lack = lack;
    place.planned = false;
    return place;
  };
  if (kernel.empty()) return absent(fmt::format("no kernel of the run stands for {}", row.kernel));
  std::vector<const CellRecord*> fitting;
  bool elsewhere = false;
  for (const auto& job : table.jobs) {
    for (const auto& cell : record.cells) {
      if (cell.job != job.job || cell.kernel != kernel || cell.placement != row.placement) continue;
      if (!agrees(cell, row.at, true) || !agrees(cell, job.with, false)) continue;
      if (!judging.reference->topology.empty() && cell.topology != judging.reference->topology &&
          (job.topology.empty() || cell.topology != job.topology)) {
        elsewhere = true;
        continue;
      }
      place.job = &job;
      fitting.push_back(&cell);
    }
    if (!fitting.empty()) break;
  }
  if (fitting.empty())
    return absent(elsewhere ? fmt::format("it was run on another machine than {} only", judging.reference->topology)
                            : fmt::format("the run has no such cell of {}", kernel));
  if (fitting.size() > 1) {
    place.lack = fmt::format("{} cells of {} could stand for it", fitting.size(), kernel);
    return place;
  }
  place.cell = fitting.front();
  return place;
}

std::vector<Beside> beside_published(const RunRecord& record, const FigureIndex& index, const Judging& judging) {
  std::vector<Beside> all;
  if (!judging.reference) return all;
  for (const auto& table : judging.reference->tables) {
    const std::size_t before = all.size();
    bool any = false;
    for (const auto& row : table.rows) {
      const Place place = place_of(record, judging, table, row);
      Beside one{&table, &row, place.job, place.cell, "", "", {}, fidelity_of(record).kind};
      if (place.cell != nullptr) {
        any = true;
        for (const auto& name : table.metrics) {
          const MetricRecord* metric = index.metric(place.cell->job, name);
          if (metric == nullptr) continue;
          one.values = index.of(*place.cell, *metric).values;
          one.metric = name;
          one.unit = metric->unit;
          break;  // only the table's own: another has another unit
        }
      }
      all.push_back(std::move(one));
    }
    if (!any) all.resize(before);
  }
  return all;
}

}  // namespace rig::verdict
