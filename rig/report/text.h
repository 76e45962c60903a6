// SPDX-License-Identifier: GPL-2.0-or-later
// Text for terminals and files (escaping is in rig/base/printable.h): widths, wrapping, tables.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "rig/base/printable.h"

namespace rig::report {

// JSON with its characters that turn, hide or command (U+009B, bidirectional marks) as \u escapes: the same
// value, safe on a terminal.
std::string plain_json(std::string json);

// Columns of printable text: characters, a combining mark none, a wide one (East Asian) two.
std::size_t columns(std::string_view text);

// Words of printable text in lines of at most so many columns; lines after the first begin with
// so many blanks. A longer word has a line to itself.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// Figures in one column: as many decimals as give the largest seven digits, at most three above one.
int decimals_for(double largest);
std::string percent(double share);               // "0.42 %"
std::string figure(double value, int decimals);  // of a size no table has room for "1e+308"

enum class Align { Left, Right };

// Rows of aligned columns, two blanks apart, and headings between them.
class Table {
 public:
  explicit Table(std::vector<Align> alignment) : alignment_(std::move(alignment)) {}
  // The tail follows the last cell and widens no column.
  void row(std::vector<std::string> cells, std::string tail = "");
  // A line with text at its start and, where it fits, more text at the start of a column.
  void heading(std::string text, std::size_t column = 0, std::string at_column = "");
  bool has_rows() const;
  // Each line with the indent before rows (not before headings). A first cell wider than
  // `first_limit` gets a line of its own.
  std::string render(std::size_t indent, std::size_t first_limit) const;

 private:
  struct Line {
    bool is_heading = false;
    std::vector<std::string> cells;
    std::size_t column = 0;
    std::string tail = {};
  };
  std::vector<Align> alignment_;
  std::vector<Line> lines_;
};

}  // namespace rig::report
