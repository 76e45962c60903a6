// SPDX-License-Identifier: GPL-2.0-or-later
// A record's figures by cell and metric, with those left out that no benchmark can have given.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "rig/record/record.h"

namespace rig::verdict {

struct Figures {
  std::vector<double> values;        // one a repetition, by repetition
  std::vector<double> in_order;      // the same in the order in which they were run
  std::vector<std::string> refused;  // "repetition 3: nan us"
};

class FigureIndex {
 public:
  explicit FigureIndex(const RunRecord& record);
  // Of instance 0. A figure that is not finite, not above zero, beyond 1e15 or of another unit than the metric's is
  // refused: its repetition has none.
  Figures of(const CellRecord& cell, const MetricRecord& metric) const;
  std::size_t ok_repetitions(const CellRecord& cell) const;
  std::string trouble(const CellRecord& cell) const;  // why it has no figures: "not run", "2 of 5 ended panic"
  // The job's first metric (the headline before others) that each cell has for all its ok repetitions; null: none.
  const MetricRecord* common_metric(const std::vector<const CellRecord*>& cells) const;
  // Whether each of the cell's ok repetitions, of which there are some, has this metric.
  bool gives(const CellRecord& cell, const std::string& metric) const;
  const MetricRecord* metric(const std::string& job, const std::string& name) const;

 private:
  struct One {
    const AttemptRecord* attempt;
    std::size_t place;  // among all attempts
  };
  const RunRecord& record_;
  std::map<std::string, std::map<int, One>> ok_;  // cell → repetition
};

}  // namespace rig::verdict
