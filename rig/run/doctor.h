// SPDX-License-Identifier: GPL-2.0-or-later
// What this host has of what rig needs: found by trying, with what mends it.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/host/host.h"
#include "rig/plan/plan.h"

namespace rig {

// Ok; Lacks: rig does without, in the way the text says; Mend: something is to be done, and mend says what.
enum class FindingState { Ok, Lacks, Mend };
std::string to_string(FindingState state);  // "lacks"

struct Finding {
  std::string name;  // "KVM"
  FindingState state = FindingState::Ok;
  std::string text;     // one line
  std::string mend;     // one line; may be empty where nothing can be done
  bool needed = false;  // without it the main job cannot run
};

struct DoctorRequest {
  Plan plan;                         // the main job
  std::vector<Topology> topologies;  // which of them this host carries
  std::filesystem::path cache;
  bool fresh = false;  // ask again what is remembered
  Host host;
};

struct Diagnosis {
  std::vector<Finding> findings;  // in the order found
  // What `rig run` of the main job takes without --accel, and why; nothing where it cannot run or no kernel is
  // built yet to try.
  std::optional<Accelerator> accelerator;
  std::string accelerator_reason;
};
// Whether the main job can run: nothing that it needs is amiss.
bool can_run(const Diagnosis& diagnosis);

// Tries everything. found: told each finding at once; say: what is being tried.
Diagnosis diagnose(const DoctorRequest& request, const std::function<void(const Finding&)>& found,
                   const std::function<void(const std::string&)>& say, std::stop_token stop);

// Its parts.
using FindingSink = std::function<void(Finding)>;
// Compilers and tools for kernels, rig's own guest programs, the image: tried. Needed are those that the main
// job uses here: a kernel in the cache needs no compiler.
void find_tools(const DoctorRequest& request, bool builds_kernels, const FindingSink& found, std::stop_token stop);
// Pure: what of the host disturbs measured figures.
Finding noise_finding(const Host& host);
// Whether the host carries these exactly, each alone.
Finding topology_finding(const Topology& topology, const Host& host);

}  // namespace rig
