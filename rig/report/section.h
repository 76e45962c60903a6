// SPDX-License-Identifier: GPL-2.0-or-later
// What one table of the report shows, as values: the cells of one job on one topology, or on all the points
// of a sweep of it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "rig/report/lookup.h"
#include "rig/stats/stats.h"

namespace rig::report {

// One cell with its figures of the section's metric.
struct Row {
  const CellRecord* cell = nullptr;
  std::string label;                  // its varying parameters: "4 clients"; printable
  std::vector<Figure> by_repetition;  // of repetitions that ended ok, in order
  Summary summary;
  std::optional<Ratio> ratio;     // to the baseline's cell
  std::string trouble;            // why it has no figures; empty where it has some
  std::vector<double> instances;  // 1, 2, … of its only repetition; empty for several boots
};

struct Section {
  std::string job, topology;                  // of a sweep, the machine that is swept
  MetricRecord metric;                        // the one shown
  std::string instead_of;                     // the headline's name, where that is not given in every cell
  std::vector<MetricRecord> others;           // the rest that have figures
  std::string constants;                      // "bytes=40, seconds=30": what all cells share; printable
  std::vector<Row> rows;                      // in the plan's order
  bool placements = false;                    // some cell has one
  bool perturbed = false;                     // boots in virtual time: ranges in place of deviations and intervals
  std::vector<const TopologyRecord*> points;  // of a sweep, in the plan's order; empty: no sweep
};

std::vector<Section> sections_of(const Lookup& lookup);

// The figures alone.
std::vector<double> values_in(const std::vector<Figure>& figures);

// candidate / baseline of a section's figures, with the interval or the range that befits it.
std::optional<Ratio> ratio_in(const Section& section, const std::vector<double>& candidate,
                              const std::vector<double>& baseline);

// "tbench, 2 clients, on q6600, debian-6.1"; printable. Without the record's constants it could not
// be told apart, so all parameters are in it.
std::string name_of(const CellRecord& cell);

// "2 clients", "1 client", "bytes=40"; printable.
std::string parameter_label(const std::string& name, const std::string& value);

// The post's words for a placement: "same CPU"; printable, also for unknown ones.
std::string placement_label(const std::string& placement);

}  // namespace rig::report
