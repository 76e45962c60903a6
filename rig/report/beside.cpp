// SPDX-License-Identifier: GPL-2.0-or-later
// The posts' own tables with the run's figures beside them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "rig/report/section.h"
#include "rig/report/text.h"
#include "rig/report/verdicts.h"
#include "rig/stats/stats.h"

namespace rig::report {
namespace {

using Rows = std::vector<const Beside*>;

double mean_of(const Beside& one) { return summarize(one.values).mean; }

const Beside* same_row(const Rows& rows, const Beside& one, const std::string& kernel, const std::string& placement) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Beside* other) {
    return other->row->kernel == kernel && other->row->placement == placement && other->row->at == one.row->at;
  });
  return found == rows.end() ? nullptr : *found;
}

std::string ours(const Beside& one, int decimals) {
  if (one.cell == nullptr) return "-";
  return one.values.empty() ? "-" : fmt::format("{:.{}f}", mean_of(one), decimals);
}

std::string kernel_words(const Beside& one) {
  const std::string published = printable(one.row->kernel);
  return one.cell == nullptr ? published + "; not run here" : published + "; here " + printable(one.cell->kernel);
}

int decimals_of(const Rows& rows) {
  double most = 0;
  for (const auto* one : rows) {
    if (!one->values.empty()) most = std::max(most, mean_of(*one));
  }
  return std::min(2, decimals_for(most));
}

// The 2014 post's: a block a kernel, a line a cell, the ratio to the baseline's at its end.
Table kernel_layout(const Rows& rows, const Reference& reference) {
  Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right});
  const int decimals = decimals_of(rows);
  table.row({"", "published", "vs " + printable(reference.baseline), "here", "vs the same"});
  std::vector<std::string> kernels;
  for (const auto* one : rows) {
    if (std::find(kernels.begin(), kernels.end(), one->row->kernel) == kernels.end())
      kernels.push_back(one->row->kernel);
  }
  for (const auto& kernel : kernels) {
    bool headed = false;
    for (const auto* one : rows) {
      if (one->row->kernel != kernel) continue;
      if (!headed) table.heading(kernel_words(*one));
      headed = true;
      std::string label;
      for (const auto& [name, value] : one->row->at)
        label += (label.empty() ? "" : ", ") + parameter_label(name, value);
      if (one->table->summed) {
        for (std::size_t i = 0; i < one->row->figures.size(); ++i)
          table.row({fmt::format("client {}", i + 1), printable(one->row->figures[i].text), "", "", ""});
        label = "sum, " + label;
      }
      const Beside* base = same_row(rows, *one, reference.baseline, one->row->placement);
      const bool both = base != nullptr && !base->values.empty() && !one->values.empty() && !one->table->rank_only;
      const std::string printed = one->row->sum ? one->row->sum->text : one->row->figures.front().text;
      table.row({label, printable(printed), one->row->ratio ? printable(one->row->ratio->text) : "",
                 ours(*one, decimals), both ? fmt::format("{:.3f}", mean_of(*one) / mean_of(*base)) : ""});
    }
  }
  return table;
}

// Where figures and packets are of the published kind: they may stand against each other as they are.
bool same_kind(const Beside& one) {
  return one.job != nullptr && (one.table->path.empty() || one.table->path == one.job->path) &&
         (one.fidelity == Fidelity::Kind::Modelled || one.fidelity == Fidelity::Kind::Measured);
}

std::string signed_text(const std::optional<double>& value) { return value ? fmt::format("{:+.2f}", *value) : ""; }

// The 2009 post's own: a block a placement, of each kernel the published line and ours, test by test and average;
// then ours to the published one, and each to its own same CPU and to the baseline kernel's.
Table tests_layout(const Rows& rows, const std::string& baseline) {
  std::size_t tests = 0;
  for (const auto* one : rows) tests = std::max({tests, one->row->figures.size(), one->values.size()});
  std::vector<Align> alignment(6 + tests, Align::Right);
  alignment[0] = alignment[1] = Align::Left;
  Table table(alignment);
  std::vector<std::string> head = {"Kernel", ""};
  for (std::size_t i = 0; i < tests; ++i) head.push_back(fmt::format("Test {}", i + 1));
  head.insert(head.end(), {"Average", "to published", "to same CPU", "to " + printable(baseline)});
  table.row(head);
  const auto published = [](const Beside& one) { return std::optional(value_of(*one.table, *one.row)); };
  const auto here = [](const Beside& one) { return one.values.empty() ? std::nullopt : std::optional(mean_of(one)); };
  std::string placement = "none";
  for (const auto* one : rows) {
    if (one->row->placement != placement) table.heading(placement_label(placement = one->row->placement));
    const auto line = [&](std::vector<std::string> cells, std::vector<std::string> figures, std::string average,
                          std::string off, const auto& value) {
      figures.resize(tests);
      cells.insert(cells.end(), figures.begin(), figures.end());
      cells.push_back(std::move(average));
      cells.push_back(std::move(off));
      for (const Beside* base :
           {same_row(rows, *one, one->row->kernel, "same-cpu"), same_row(rows, *one, baseline, one->row->placement)}) {
        const bool both = base != nullptr && base != one && value(*base) && value(*one);
        cells.push_back(both ? signed_text(*value(*one) - *value(*base)) : "");
      }
      table.row(std::move(cells));
    };
    std::vector<std::string> figures;
    for (const auto& figure : one->row->figures) figures.push_back(printable(figure.text));
    line({printable(one->row->kernel), "published"}, figures,
         one->row->mean ? printable(one->row->mean->text) : fmt::format("{:.2f}", *published(*one)), "", published);
    figures.clear();
    for (const double value : one->values) figures.push_back(fmt::format("{:.2f}", value));
    const bool other = one->cell != nullptr && one->cell->kernel != one->row->kernel;
    line({"", other ? "here, " + printable(one->cell->kernel) : "here"}, figures, ours(*one, 2),
         here(*one) ? signed_text(*here(*one) - *published(*one)) : "", here);
  }
  return table;
}

// The same where only differences can be compared: a line a kernel, and ours to the same CPU.
Table placement_layout(const Rows& rows, double factor) {
  std::size_t tests = 0;
  for (const auto* one : rows) tests = std::max(tests, one->row->figures.size());
  std::vector<Align> alignment(6 + tests, Align::Right);
  alignment.front() = Align::Left;
  Table table(alignment);
  std::vector<std::string> head = {"Kernel"};
  for (std::size_t i = 0; i < tests; ++i) head.push_back(fmt::format("Test {}", i + 1));
  head.insert(head.end(), {"Average", "to same CPU", "here", "to same CPU", factor == 1 ? "" : "a crossing"});
  table.row(head);
  std::string placement = "none";
  for (const auto* one : rows) {
    if (one->row->placement != placement) table.heading(placement_label(placement = one->row->placement));
    std::vector<std::string> cells = {printable(one->row->kernel)};
    if (one->cell != nullptr && one->cell->kernel != one->row->kernel)
      cells[0] += "; here " + printable(one->cell->kernel);
    for (const auto& figure : one->row->figures) cells.push_back(printable(figure.text));
    cells.resize(1 + tests);
    const Beside* base = same_row(rows, *one, one->row->kernel, "same-cpu");
    const bool stepping = base != nullptr && base != one;
    const bool both = stepping && !base->values.empty() && !one->values.empty();
    cells.push_back(one->row->mean ? printable(one->row->mean->text)
                                   : fmt::format("{:.2f}", value_of(*one->table, *one->row)));
    cells.push_back(
        stepping ? fmt::format("{:+.2f}", value_of(*one->table, *one->row) - value_of(*base->table, *base->row)) : "");
    cells.push_back(ours(*one, 2));
    cells.push_back(both ? fmt::format("{:+.2f}", mean_of(*one) - mean_of(*base)) : "");
    cells.push_back(both && factor != 1 ? fmt::format("{:+.2f}", (mean_of(*one) - mean_of(*base)) * factor) : "");
    table.row(std::move(cells));
  }
  return table;
}

}  // namespace

std::string beside_text(const Verdicts& verdicts, const Judging& judging, std::size_t width) {
  if (!judging.reference) return "";
  std::string out;
  for (const auto& table : judging.reference->tables) {
    Rows rows;
    const Beside* first = nullptr;
    std::size_t left_out = 0;
    for (const auto& one : verdicts.beside) {
      if (one.table != &table) continue;
      const bool of_run = std::any_of(judging.stands_for.begin(), judging.stands_for.end(),
                                      [&](const auto& pair) { return pair.second == one.row->kernel; });
      if (!of_run) ++left_out;
      if (of_run) rows.push_back(&one);
      if (one.cell != nullptr && first == nullptr) first = &one;
    }
    if (first == nullptr) continue;
    std::string title = fmt::format("Published beside here: {}, {}, {}", printable(judging.reference->name),
                                    printable(table.title), printable(table.printed_unit));
    const bool crossing = !table.path.empty() && !first->job->path.empty() && table.path != first->job->path;
    const double factor = crossing ? static_cast<double>(table.crossings) / first->job->crossings : 1;
    if (table.rank_only) title += "; maxima, to be compared by rank only";
    if (crossing)
      title += fmt::format(
          "; published over a {}, here over {}: only differences between placements can be compared, times {}/{}",
          table.path, first->job->path, table.crossings, first->job->crossings);
    if (first->unit != table.unit && !first->unit.empty()) title += "; here in " + printable(first->unit);
    const bool placements =
        std::any_of(rows.begin(), rows.end(), [](const Beside* one) { return !one->row->placement.empty(); });
    const Table text = !placements         ? kernel_layout(rows, *judging.reference)
                       : same_kind(*first) ? tests_layout(rows, judging.reference->baseline)
                                           : placement_layout(rows, factor);
    out += "\n" + wrap(title, width, 2) + "\n\n" + text.render(2, 40);
    if (left_out > 0)
      out += fmt::format("  {} more rows are published, of kernels that were not run here.\n", left_out);
  }
  return out;
}

}  // namespace rig::report
