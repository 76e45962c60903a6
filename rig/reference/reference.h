// SPDX-License-Identifier: GPL-2.0-or-later
// Published tables as values: every raw figure, what the post computed from them, and its claims as statements that
// can be checked, against its own table or against a run. Pure; read from jobs/references/*.yaml by rig/config.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rig {

// A number as it was printed: 84.5 and 84.50 are told apart.
struct Printed {
  std::string text;
  double value = 0;
  bool operator==(const Printed&) const = default;
};

// One cell of a table: its raw figures, and what stands beside them.
struct PublishedRow {
  std::string kernel;
  std::string placement;                    // rig's word; empty: unbound
  std::map<std::string, std::string> at;    // rig's parameters: clients → 4
  std::vector<Printed> figures;             // of instances (a sum is compared) or of tests (their mean is)
  std::optional<Printed> mean, sum, ratio;  // the post's own
};

// How rig's own measurement stands to a published table.
struct ComparedJob {
  std::string job;
  std::string path;                         // "loopback", "wire": what the packets cross
  int crossings = 1;                        // of a round trip, from one placed CPU to another
  std::map<std::string, std::string> with;  // parameters that its cells must have, where it has them
  std::string topology = {};                // a machine that may stand for the reference's in this job; may be empty
};

struct PublishedTable {
  std::string name, title;
  std::vector<ComparedJob> jobs;     // rig's, of which the first that a run has is compared
  std::vector<std::string> metrics;  // of those jobs; the first is the table's own, others stand in for ratios only
  std::string unit, printed_unit;    // of the first metric, as rig has it and as it was printed
  std::string path;                  // as above; empty: it makes no difference
  int crossings = 1;
  bool higher_is_better = true;
  bool rank_only = false;  // a maximum: compared by rank, never by its size
  bool summed = false;     // figures are instances: their sum is compared, else their mean
  int decimals = 0;        // of printed means
  std::vector<PublishedRow> rows;
};

// The published value of a row that is compared: unrounded, from its figures.
double value_of(const PublishedTable& table, const PublishedRow& row);

// Which row a claim speaks of: what is empty is filled in for each case of the claim.
struct Selector {
  std::string kernel, placement;
  std::map<std::string, std::string> at;
};

// What counts as reproduced: within this share of the published value, or this many of its units, whichever is more.
struct Tolerance {
  double share = 0, least = 0;
};

double reach_of(const Tolerance& within, double published);

struct PublishedClaim {
  enum class Kind { Ratio, Difference, Order };
  std::string name, says;  // says: the post's own words
  std::string table;
  Kind kind = Kind::Ratio;
  std::vector<Selector> cells;       // Ratio, Difference: of, to. Order: from the lowest figure to the highest
  std::vector<std::string> kernels;  // a case for each of these, filled into the selectors
  Tolerance within;                  // unused for an order
  std::optional<double> low, high;   // what the words say in numbers, for the check against its own table
};

struct Reference {
  std::string name, title, author, date, where;
  std::string machine, topology;                             // in words; rig's definition of it
  std::vector<std::string> conditions;                       // one line each
  std::vector<std::string> notes;                            // findings and cautions, one line each
  std::vector<std::pair<std::string, std::string>> kernels;  // published name → rig's definition, may be empty
  std::string baseline;                                      // a published name, may be empty
  std::vector<PublishedTable> tables;
  std::vector<PublishedClaim> claims;
};

const PublishedTable* table_of(const Reference& reference, const std::string& name);
const PublishedRow* row_of(const PublishedTable& table, const Selector& selector);  // all its fields must agree

// One statement of a claim: its cells with nothing left to fill in, and what the table's own figures say.
struct ClaimCase {
  const PublishedClaim* claim = nullptr;
  const PublishedTable* table = nullptr;
  std::string label;  // the kernel it speaks of, empty where the claim has one case only
  std::vector<const PublishedRow*> rows;
  std::optional<double> published;  // ratio or difference, from raw figures; absent for an order
};
// In the claim's order. Throws InputError where a claim speaks of a cell that its table does not have.
std::vector<ClaimCase> cases_of(const Reference& reference);

// What is wrong with a reference beyond its form; one message each.
std::vector<std::string> reference_faults(const Reference& reference);

// A printed mean, sum or ratio against the same computed from the raw figures.
struct Recomputed {
  enum class How { Exact, Rounded, Truncated, Differs };
  std::string table, row, what;  // "tbench", "3.18.0-master-BLD, 1 client", "ratio"
  std::string printed;
  double value = 0;
  How how = How::Exact;
};
std::vector<Recomputed> recompute(const Reference& reference);

// The words of a claim against its own table.
struct OwnCheck {
  std::string claim, label;
  double published = 0;  // from raw figures; 0 for an order
  bool follows = false;
};
std::vector<OwnCheck> check_own(const Reference& reference);

// What --check asks of a run's verdicts; `check:` of a matrix.
enum class LeastClaim { SameDirection, Reproduced };
enum class BaselineRule { None, NotWorse, Decided };
struct CheckRules {
  std::map<std::string, LeastClaim> claims;  // by name; all cases of a claim must reach it
  bool every_claim = false;                  // one word for all: those that the run has no cells of are let pass
  BaselineRule baseline = BaselineRule::None;
};

// How a matrix is judged.
struct Judging {
  std::optional<Reference> reference;
  std::map<std::string, std::string> stands_for;  // rig's kernel → the published one
  std::optional<CheckRules> check;
  double margin = 0.01;  // differences below this share of the baseline are called none
};

}  // namespace rig
