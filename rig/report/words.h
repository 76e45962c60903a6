// SPDX-License-Identifier: GPL-2.0-or-later
// The words that a section's figures are told with, the same in every format.
#pragma once
#include <string>
#include <vector>

#include "rig/report/section.h"

namespace rig::report {

// What the tables used and the reader may want explained.
struct Legend {
  bool deviation = false, range = false, interval = false, single = false, no_spread = false, few = false;
};
// What the legend explains, a sentence each.
std::vector<std::string> legend_lines(const Legend& legend);

// Kernels in the record's order, then any that it does not list.
std::vector<std::string> kernels_in(const RunRecord& record, const Section& section);

// "1 boot", "5 boots", "boots until ci 2 %, …".
std::string boots_planned(const RunRecord& record);

// "tcp-rr on q6600", with what is swept.
std::string section_name(const Section& section);
// "rate, trans/s, more is better (bytes=1)"; empty where the record names no metric of the job.
std::string metric_words(const Section& section);
// Why another metric than the headline is compared; empty where it is the headline.
std::string instead_words(const Section& section);

double largest(const Section& section);  // of its figures
// Whether there is anything to compare: more than the baseline's own rows.
bool compares(const RunRecord& record, const Section& section);
// The same kernel's row with both ends on one CPU; null where there is none with figures.
const Row* same_cpu_row(const Section& section, const Row& row);

// "sd 0.42 %", or "81234.5 to 93001.2" of boots in virtual time; empty for one boot.
std::string spread(const Section& section, const Row& row, int decimals, Legend& legend);
std::string boots(const RunRecord& record, const Row& row, Legend& legend);  // "5 boots", "4 of 5 boots"
std::string boot_text(const Row& row, int repetition, int decimals);         // "-" where it gave none
std::string ratio_text(const RunRecord& record, const Row& row);             // "0.465", "-"
// "[0.431, 0.502]"; empty where there is none, and for the baseline.
std::string interval_text(const Section& section, const Row& row, const RunRecord& record, Legend& legend);
std::string difference_text(double difference, int decimals);  // "+8.71"

}  // namespace rig::report
