// SPDX-License-Identifier: GPL-2.0-or-later
// The modelled mode's part of an attempt: the files the plug-in needs before, and its report after.
#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/plan/vm_spec.h"
#include "rig/record/record.h"
#include "rig/vm/vm.h"

namespace rig {

// The plug-in that models, beside rig itself.
std::filesystem::path plugin_file();

// Why this host's QEMU does not follow the model, by the self-test's guest of a few seconds on this machine
// and kernel; nothing where it does, which is remembered below cache for this QEMU and plug-in.
std::optional<std::string> model_fault(const std::filesystem::path& cache, const QemuAbilities& qemu,
                                       const std::filesystem::path& kernel, const Topology& topology,
                                       std::stop_token stop);

// The numbers that the model works with on this machine, and what they were fitted to, for the record.
std::string timing_digest(const Topology& topology);

// Writes the machine for the plug-in below directory, and says where everything is.
VmSpec::Model prepare_model(const Topology& topology, const std::filesystem::path& directory);

// The counters of the last region of interest, as samples: "model.NAME" with instance 0 the sum over
// vCPUs (but for those left out: a wire's far end) and 1… each vCPU's, in cycles or counts; lines that devices
// read and wrote as "model.dma.reads" and the like. Throws WorkError where the report is missing, cut
// short, or of another machine.
std::vector<Sample> model_samples(const std::string& report, const std::string& spec_text,
                                  const std::vector<int>& left_out = {});

}  // namespace rig
