// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/grid.h"

#include <algorithm>

namespace rig::report {

std::string grid_text(const Grid& grid, std::size_t indent, std::size_t first_limit) {
  Table table(grid.align);
  table.row(grid.head);
  for (const auto& row : grid.rows) table.row(row.cells);
  return table.render(indent, first_limit);
}

Grid without_empty_columns(Grid grid) {
  for (std::size_t column = grid.head.size(); column-- > 0;) {
    const bool used = std::any_of(grid.rows.begin(), grid.rows.end(),
                                  [&](const GridRow& row) { return !row.cells.at(column).empty(); });
    if (used) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    grid.head.erase(grid.head.begin() + at);
    grid.align.erase(grid.align.begin() + at);
    for (auto& row : grid.rows) row.cells.erase(row.cells.begin() + at);
    if (column < grid.headers) --grid.headers;
  }
  return grid;
}

}  // namespace rig::report
