// SPDX-License-Identifier: GPL-2.0-or-later
// A record made quick to ask: cells by id, attempts by cell, figures by cell and metric. One pass over all
// samples, so that a record with a million of them is reported in seconds.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rig/record/record.h"

namespace rig::report {

// What one repetition gave.
struct Figure {
  int repetition = 0;
  double value = 0;
};

// Samples that are no figures, by what is wrong with them: not finite, below zero, beyond 1e15, or in another
// unit than the job's definition says. They stay in the record and in csv and json, and enter no table and no
// comparison.
struct OddSamples {
  std::string cell, metric, why;  // why: "is no finite number", "has the unit GB/s"; printable
  std::size_t count = 0;
};

class Lookup {
 public:
  explicit Lookup(const RunRecord& record);  // which must live longer
  const RunRecord& record() const { return *record_; }

  const CellRecord* cell(const std::string& id) const;          // null where there is none
  std::size_t place(const std::string& id) const;               // in the plan's order; cells.size() where unknown
  const CellRecord* baseline_of(const CellRecord& cell) const;  // the baseline's same cell; null where there is none
  const std::vector<const AttemptRecord*>& attempts(const std::string& cell) const;  // in order of execution
  // Instance 0 of the repetitions that ended ok, by repetition; of several attempts at one the first.
  const std::vector<Figure>& figures(const std::string& cell, const std::string& metric) const;
  std::vector<double> values(const std::string& cell, const std::string& metric) const;
  const std::vector<OddSamples>& odd() const { return odd_; }

 private:
  struct Metric {
    const std::string* unit = nullptr;  // as the job's definition has it; null: it names no such metric
    std::vector<Figure> figures;
  };
  struct Cell {
    const CellRecord* cell = nullptr;
    std::size_t place = 0;
    std::vector<const AttemptRecord*> attempts;
    std::unordered_map<std::string_view, Metric> metrics;
  };
  void take(Cell& cell, const AttemptRecord& attempt);
  void take_odd(const AttemptRecord& attempt, const Sample& sample, std::string why);

  const RunRecord* record_;
  std::unordered_map<std::string_view, Cell> cells_;
  std::unordered_map<std::string, const CellRecord*> baselines_;  // by all but the kernel
  std::vector<OddSamples> odd_;
};

// Whether the mode's figures are those of virtual time, perturbed on purpose (rig/plan's in_virtual_time, by the
// word that the record has).
bool is_virtual_time(const std::string& accelerator);

}  // namespace rig::report
