// SPDX-License-Identifier: GPL-2.0-or-later
// From a matrix to the cells: pure. A cell is one kernel × topology × job × parameters × placement;
// its id is a hash of all that determines it. A repetition is one boot of it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rig/plan/image_spec.h"
#include "rig/plan/job_spec.h"
#include "rig/plan/kernel_spec.h"
#include "rig/reference/reference.h"
#include "rig/topology/topology.h"

namespace rig {

// kvm; the modelled mode (virtual time and a machine model); plain emulation in virtual time, or in real
// time with a thread for each vCPU.
enum class Accelerator { Kvm, Model, Tcg, TcgMt };
std::string to_string(Accelerator accelerator);  // "tcg-mt"
// Nothing of a guest in virtual time depends on the host's speed or on what else runs there.
constexpr bool in_virtual_time(Accelerator accelerator) {
  return accelerator == Accelerator::Model || accelerator == Accelerator::Tcg;
}

// The other guest of a cell over a wire, as a matrix asks for it: empty names stand for the cell's own.
struct PeerAsked {
  std::string kernel, topology;
  bool operator==(const PeerAsked&) const = default;
};

// One job line of a matrix: parameter → the values it takes, in the order written.
struct MatrixJob {
  std::string job;
  std::map<std::string, std::vector<std::string>> values;
  std::vector<Relation> placements;  // empty: the job's unbound form
  bool every_placement = false;      // `placement: all`: those a topology lacks are left out
  PeerAsked peer = {};               // of a job over a wire
};

// Repetitions until figures are precise enough; in virtual time, where a range is no interval, min of them.
struct RepeatUntil {
  double ci = 0.02;          // half an interval's width, as a share
  double confidence = 0.95;  // of all looks together
  int min = 5, max = 40;     // boots of each cell
  bool operator==(const RepeatUntil&) const = default;
};

// What is measured inside one boot: its measured step so many times, one after another. The boot stays the unit: its
// figure is the mean of its rounds (the most of a maximum, the least of a minimum). Rounds of warm-up come first and
// are recorded, but not counted.
struct Rounds {
  int measured = 1, warmup = 0;
  bool operator==(const Rounds&) const = default;
};

std::string to_string(const Rounds& rounds);  // "4 rounds after 1 of warm-up"

// A matrix with every name resolved to its definition.
struct MatrixSpec {
  std::string name;
  std::vector<KernelSpec> kernels;
  std::string baseline;  // a name among kernels
  std::vector<Topology> topologies;
  std::vector<JobSpec> definitions;  // of the jobs used, by name
  std::vector<MatrixJob> jobs;
  ImageSpec image;
  // Where a matrix names no image: those for kernels that `image` does not start on, in this order. A kernel
  // takes the first that starts on it.
  std::vector<ImageSpec> fallbacks;
  int boots = 1;  // repetitions of each cell; with until, the most
  std::optional<RepeatUntil> until;
  Judging judging;
  Rounds rounds = {};
  // Those that peers are named by; they may be among the above as well.
  std::vector<KernelSpec> peer_kernels = {};
  std::vector<Topology> peer_topologies = {};
};

// Every kernel that a guest boots, each once: those compared first.
std::vector<KernelSpec> all_kernels(const MatrixSpec& matrix);
// Whether some job is over a wire.
bool over_wire(const MatrixSpec& matrix);

// A cell's other guest.
struct Peer {
  PeerAsked asked;
  std::string kernel, topology;    // what that comes to
  int interrupt_cpu = 0;           // takes its card's interrupts
  std::optional<int> process_cpu;  // nothing: its process is not bound
  bool operator==(const Peer&) const = default;
};
// "linux-2.6.22", "same kernel", "linux-2.6.22 on q6600".
std::string to_string(const PeerAsked& peer);

struct Cell {
  std::string id;                                 // 12 hex digits
  std::string kernel, topology, job;              // names within the plan
  std::map<std::string, std::string> parameters;  // every parameter of the job, defaults included
  std::optional<Relation> placement;
  // Client and server, resolved from the topology; over a wire the CPU that takes the interrupt and the
  // client's.
  std::optional<std::pair<int, int>> cpus;
  std::optional<Peer> peer = {};  // of a job over a wire
  Rounds rounds = {};
  bool operator==(const Cell&) const = default;
};
// "tbench clients=2 on q6600, debian-6.1".
std::string describe(const Cell& cell);

// What is left out, and why ("q6600 has one package: no other-package").
struct SkippedCell {
  Cell cell;
  std::string reason;
};

struct Attempt {         // one repetition of one cell, in the order of execution
  std::size_t cell = 0;  // index into Plan::cells
  int repetition = 0;    // from 0
};

struct Plan {
  MatrixSpec matrix;  // without what no cell is made of; with --only the baseline may be missing
  std::uint64_t seed = 1;
  std::vector<Cell> cells;
  std::vector<SkippedCell> skipped;
  std::vector<Attempt> order;  // interleaved: blocks of one repetition of every cell, shuffled by seed
  std::string hash;            // 8 hex digits of all the above
};

// The image for a kernel of this version; an unknown one takes `image`, as does one that none starts on.
const ImageSpec& choose_image(const MatrixSpec& matrix, const std::optional<KernelVersion>& kernel);
// Whether that is chosen only once the kernel is built, for its version is not known before.
bool image_is_open(const MatrixSpec& matrix, const KernelSpec& kernel);

// The placements that this machine has, in the order of all_relations.
std::vector<Relation> relations_of(const Topology& topology);

// --only: a comma-separated list of conditions key=value that must all hold, keys: kernel,
// topology (a machine before its '@' stands for all points of its sweep), job, placement ("unbound" for
// none), peer, a parameter, or a swept path (timing.fsb.upgrade=60 ns); value may be a list a|b. Throws InputError.
struct CellFilter {
  std::vector<std::pair<std::string, std::vector<std::string>>> conditions;
  static CellFilter parse(const std::string& text);
  bool accepts(const Cell& cell, const Topology& topology) const;  // topology: the cell's
};

// Throws InputError where nothing is left to run, or where a placement is not in the topology.
Plan make_plan(const MatrixSpec& matrix, std::uint64_t seed, const CellFilter& only = {});

// Guest time that the jobs of all attempts are expected to take, in milliseconds; boots not counted.
std::int64_t expected_ms(const Plan& plan);

const KernelSpec& kernel_of(const Plan& plan, const Cell& cell);
const Topology& topology_of(const Plan& plan, const Cell& cell);
const JobSpec& job_of(const Plan& plan, const Cell& cell);
const KernelSpec& kernel_of(const Plan& plan, const Peer& peer);
const Topology& topology_of(const Plan& plan, const Peer& peer);

// A hash over the contents that determine a cell (definitions, patch and fragment files' hashes).
std::string cell_id(const MatrixSpec& matrix, const Cell& cell);

// The machine's part of that: two topologies with the same key are the same machine.
std::string machine_key(const Topology& topology);

std::string plan_json(const Plan& plan);  // `rig plan --json`
std::string plan_text(const Plan& plan);  // `rig plan`: the cells, what each needs, how long

}  // namespace rig
