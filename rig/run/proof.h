// SPDX-License-Identifier: GPL-2.0-or-later
// Which machines a kernel was seen to be right on, kept with its artifact, and the gate that this is for a
// run: some kernels build and boot and see another machine than the one they are on.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rig/plan/plan.h"
#include "rig/topology/topology.h"

namespace rig {

// What a proof is for. What the machine is counts, its name is for people; the command line, for the same
// binary sees less with isolcpus= or maxcpus=; the accelerator and QEMU, which show the machine.
struct ProofOf {
  Topology machine;
  Accelerator accelerator = Accelerator::Tcg;
  std::string cmdline, qemu;
};

// Keeps the guest's own view as the proof, below the artifact's directory. The first one stays. Where it
// cannot be kept (a cache of someone else's) nothing happens: it is found again.
void keep_proof(const std::filesystem::path& artifact, const ProofOf& of, const std::string& view);

bool has_proof(const std::filesystem::path& artifact, const ProofOf& of);

// The same kernel was seen on the machine otherwise: what was kept does not count any more.
void drop_proof(const std::filesystem::path& artifact, const ProofOf& of);

// Machines and accelerators, sorted: "q6600 (model, tcg)".
std::vector<std::string> proved_on(const std::filesystem::path& artifact);

// What a boot said of the machine it saw.
struct ViewVerdict {
  bool seen = false;    // the boot came far enough to say it
  std::string fault;    // empty: it is the machine asked for
  bool proved = false;  // a proof was kept before this boot
};

// For each kernel × machine the first boot of a run is its proof, unless an earlier one is kept. Where the proof
// fails, what is left of that kernel on that machine is not booted. A kernel that was right there before gets a
// second chance: its proof is dropped, and the next boot is the proof. Safe to use from several workers; boots
// that are under way beside a proof end as they do, for each is judged by its own view.
class ProofGate {
 public:
  // Why this cell is not to be booted; nothing where it may.
  std::optional<std::string> refusal(const Cell& cell) const;
  // Of a repetition's last try.
  void judged(const Cell& cell, const ViewVerdict& verdict);

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::string> refused_;  // kernel, topology → why
};

}  // namespace rig
