// SPDX-License-Identifier: GPL-2.0-or-later
// Published figures and the run's beside them, as tables.
#include <fmt/format.h>

#include <algorithm>

#include "rig/report/document.h"
#include "rig/report/words.h"
#include "rig/stats/stats.h"

namespace rig::report {
namespace {

double mean_of(const Beside& one) { return summarize(one.values).mean; }

const Beside* same_row(const std::vector<const Beside*>& rows, const Beside& one, const std::string& kernel,
                       const std::string& placement) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Beside* other) {
    return other->row->kernel == kernel && other->row->placement == placement && other->row->at == one.row->at;
  });
  return found == rows.end() ? nullptr : *found;
}

// One published table. Placements are told by their difference to the same CPU, others by their ratio to the baseline.
// factor: of its crossings to ours, where one is over a wire and the other is not; else 1.
Grid published_grid(const std::vector<const Beside*>& rows, const PublishedTable& table, const Reference& reference, double factor) {
  const bool placements =
      std::any_of(rows.begin(), rows.end(), [](const Beside* one) { return !one->row->placement.empty(); });
  // as they are, and to the baseline kernel's: not where packets crossed something else, or nothing was timed
  const bool absolute =
      placements && std::any_of(rows.begin(), rows.end(), [](const Beside* one) {
        return one->job != nullptr && (one->table->path.empty() || one->table->path == one->job->path) &&
               (one->fidelity == Fidelity::Kind::Modelled || one->fidelity == Fidelity::Kind::Measured);
      });
  std::size_t tests = 0;
  for (const auto* one : rows)
    if (absolute) tests = std::max({tests, one->row->figures.size(), one->values.size()});
  Grid grid;
  const std::string step = placements ? "to same CPU" : "vs " + printable(reference.baseline);
  const std::string kernels = "to " + printable(reference.baseline);
  grid.head = {"published kernel", "placement", "cell"};
  for (std::size_t i = 0; i < tests; ++i) grid.head.push_back(fmt::format("published, test {}", i + 1));
  grid.head.insert(grid.head.end(), {"published", step, "published, " + kernels, "here with"});
  for (std::size_t i = 0; i < tests; ++i) grid.head.push_back(fmt::format("here, test {}", i + 1));
  grid.head.insert(grid.head.end(), {"here", "here, " + step, "here, " + kernels, "here to published", "a crossing"});
  grid.align.assign(grid.head.size(), Align::Right);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}, 6 + tests}) grid.align[i] = Align::Left;
  grid.headers = 3;
  for (const auto* one : rows) {
    std::string label;
    for (const auto& [name, value] : one->row->at) label += (label.empty() ? "" : ", ") + parameter_label(name, value);
    const double published = value_of(table, *one->row);
    const Beside* base = placements ? same_row(rows, *one, one->row->kernel, "same-cpu")
                                    : same_row(rows, *one, reference.baseline, one->row->placement);
    if (base == one && placements) base = nullptr;
    std::string theirs, ours, crossing;
    if (base != nullptr && !table.rank_only) {
      const double other = value_of(table, *base->row);
      theirs = placements ? difference_text(published - other, 2) : fmt::format("{:.3f}", published / other);
      if (!one->values.empty() && !base->values.empty())
        ours = placements ? difference_text(mean_of(*one) - mean_of(*base), 2)
                          : fmt::format("{:.3f}", mean_of(*one) / mean_of(*base));
      if (!ours.empty() && placements && factor != 1)
        crossing = difference_text((mean_of(*one) - mean_of(*base)) * factor, 2);
    }
    const Beside* oldest = absolute ? same_row(rows, *one, reference.baseline, one->row->placement) : nullptr;
    if (oldest == one) oldest = nullptr;
    const bool both = oldest != nullptr && !oldest->values.empty() && !one->values.empty();
    std::vector<std::string> cells = {printable(one->row->kernel),
                                      one->row->placement.empty() ? "" : placement_label(one->row->placement), label};
    for (std::size_t i = 0; i < tests; ++i)
      cells.push_back(i < one->row->figures.size() ? printable(one->row->figures[i].text) : "");
    cells.push_back(figure(published, std::min(2, decimals_for(published))));
    cells.push_back(theirs);
    cells.push_back(oldest != nullptr ? difference_text(published - value_of(table, *oldest->row), 2) : "");
    cells.push_back(one->cell == nullptr ? "not run" : printable(one->cell->kernel));
    for (std::size_t i = 0; i < tests; ++i) cells.push_back(i < one->values.size() ? figure(one->values[i], 2) : "");
    cells.push_back(one->values.empty() ? "" : figure(mean_of(*one), std::min(2, decimals_for(mean_of(*one)))));
    cells.push_back(ours);
    cells.push_back(both ? difference_text(mean_of(*one) - mean_of(*oldest), 2) : "");
    cells.push_back(absolute && !one->values.empty() ? difference_text(mean_of(*one) - published, 2) : "");
    cells.push_back(crossing);
    grid.rows.push_back({std::move(cells)});
  }
  return without_empty_columns(std::move(grid));
}

}  // namespace

Part published_part(const Material& material) {
  Part part{"published", "Published figures beside these", 2, {}};
  if (!material.judging->reference) return part;
  const Reference& reference = *material.judging->reference;
  const auto& stands_for = material.judging->stands_for;
  for (const auto& table : reference.tables) {
    std::vector<const Beside*> rows;
    const Beside* first = nullptr;
    std::size_t left_out = 0;
    for (const auto& one : material.verdicts->beside) {
      if (one.table != &table) continue;
      const bool of_run = std::any_of(stands_for.begin(), stands_for.end(),
                                      [&](const auto& pair) { return pair.second == one.row->kernel; });
      if (of_run)
        rows.push_back(&one);
      else
        ++left_out;
      if (one.cell != nullptr && first == nullptr) first = &one;
    }
    if (first == nullptr) continue;
    const bool crossing =
        first->job != nullptr && !table.path.empty() && !first->job->path.empty() && table.path != first->job->path;
    Grid grid = published_grid(rows, table, reference,
                               crossing ? static_cast<double>(table.crossings) / first->job->crossings : 1);
    grid.caption =
        fmt::format("{}: {}, {}", printable(reference.name), printable(table.title), printable(table.printed_unit));
    part.blocks.emplace_back(std::move(grid));
    if (crossing)
      part.blocks.emplace_back(Prose{fmt::format(
          "Published over a {}, here over {}: only differences between placements can be compared, times {}/{}.",
          printable(table.path), printable(first->job->path), table.crossings, first->job->crossings)});
    if (table.rank_only) part.blocks.emplace_back(Prose{"Maxima: to be compared by rank only."});
    if (first->unit != table.unit && !first->unit.empty())
      part.blocks.emplace_back(Prose{fmt::format("Here in {}.", printable(first->unit))});
    if (left_out > 0)
      part.blocks.emplace_back(
          Prose{fmt::format("{} more rows are published, of kernels that were not run here.", left_out)});
  }
  return part;
}

}  // namespace rig::report
