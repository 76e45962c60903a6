// SPDX-License-Identifier: GPL-2.0-or-later
// A table as a value: what text, Markdown and HTML all draw.
#pragma once
#include <string>
#include <vector>

#include "rig/report/text.h"

namespace rig::report {

// What a row says at a glance. Never by colour alone: the words in the row say it too.
enum class Mark { None, Good, Bad, Unsure };

struct GridRow {
  std::vector<std::string> cells;  // as many as the head has; printable
  Mark mark = Mark::None;
};

struct Grid {
  std::string caption;  // printable; empty in a part that has one table
  std::vector<std::string> head;
  std::vector<Align> align;  // a column each
  std::size_t headers = 1;   // so many columns at the left name the row
  std::string marked = {};   // the column, by its head, that rows' marks are for; empty: the whole row
  std::vector<GridRow> rows;
};

// Without the caption; columns that are empty in every row are left out.
std::string grid_text(const Grid& grid, std::size_t indent, std::size_t first_limit);

// The same grid without columns that have nothing in any row.
Grid without_empty_columns(Grid grid);

}  // namespace rig::report
