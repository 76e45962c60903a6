// SPDX-License-Identifier: GPL-2.0-or-later
// The modelled mode's part of an attempt: the files the plug-in needs before, and its report after.
#pragma once
#include <filesystem>
#include <vector>

#include "rig/plan/vm_spec.h"
#include "rig/record/record.h"

namespace rig {

// Throws InputError where one of the machines has no timing, HostLacks where the plug-in is not built.
void check_modelled(const std::vector<Topology>& topologies);

// Throws InputError where a timing is swept under an accelerator that takes no notice of it.
void check_timing_counts(const std::vector<Topology>& topologies, Accelerator accelerator);

// Writes the machine for the plug-in below directory, and says where everything is.
VmSpec::Model prepare_model(const Topology& topology, const std::filesystem::path& directory);

// The counters of the last region of interest, as samples: "model.NAME" with instance 0 the sum over
// vCPUs and 1… each vCPU's, in cycles or counts. Throws WorkError where the report is missing, cut
// short, or of another machine.
std::vector<Sample> model_samples(const std::string& report, const std::string& spec_text);

}  // namespace rig
