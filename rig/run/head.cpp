// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/head.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "rig/run/modelled.h"
#include "rig/run/repeat.h"

namespace rig {

std::string run_directory_name(const Plan& plan, std::chrono::system_clock::time_point now) {
  return fmt::format("{}-{:%Y%m%dT%H%M%SZ}-{}", plan.matrix.name,
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), plan.hash);
}

std::string meaning_of(Accelerator accelerator) {
  switch (accelerator) {
    case Accelerator::Kvm:
      return "measured under KVM: guest CPUs ran on this host's own; trust placement only where the host carries the "
             "same sharing";
    case Accelerator::Model:
      return "modelled, not measured: emulation in virtual time, where caches, buses and interrupts cost what the "
             "machine's "
             "timing section says. The figures are as good as those parameters";
    case Accelerator::Tcg:
      return "functional only: plain emulation in virtual time. Shared caches cost nothing here, so that the figures "
             "show "
             "that the machinery works and say nothing of any hardware; never compare them with published ones";
    case Accelerator::TcgMt:
      return "functional only: plain emulation in real time, one thread a vCPU. The figures carry this host's noise "
             "and say "
             "nothing of any hardware; never compare them with published ones";
  }
  return "";
}

RunRecord head_of(const Plan& plan, const AcceleratorChoice& choice,
                  const std::map<std::string, KernelArtifact>& kernels, const RunImages& images,
                  std::map<std::string, std::string> environment) {
  RunRecord record;
  record.name = plan.matrix.name;
  record.plan_hash = plan.hash;
  record.accelerator = to_string(choice.accelerator);
  record.accelerator_meaning = meaning_of(choice.accelerator);
  record.accelerator_reason = choice.reason;
  record.baseline = plan.matrix.baseline;
  record.started = format_utc(std::chrono::system_clock::now());
  record.rig_version = RIG_VERSION;
  record.boots = plan.matrix.until ? plan.matrix.until->min : plan.matrix.boots;
  record.seed = plan.seed;
  record.environment = std::move(environment);
  record.environment.merge(image_facts(plan, images));
  if (const auto precision = precision_of(plan.matrix)) record.environment["repeat"] = to_text(*precision);
  if (plan.matrix.rounds != Rounds{}) record.environment["rounds"] = to_string(plan.matrix.rounds);
  for (const auto& spec : all_kernels(plan.matrix)) {
    const KernelArtifact& built = kernels.at(spec.name);
    std::string source = built.source;
    for (const auto& patch : spec.patches) source += " + " + patch_name(patch);
    for (const auto& [symbol, value] : spec.set) source += " + " + symbol + "=" + value;
    record.kernels.push_back({spec.name, spec.title, source, built.release, built.compiler, built.key});
  }
  for (const auto& topology : plan.matrix.topologies) {
    record.topologies.push_back({topology.name, topology.title, topology.base, topology.settings, topology.swept,
                                 choice.accelerator == Accelerator::Model ? timing_digest(topology) : ""});
    // what is made from a definition shares what the emulation cannot show of it
    for (const auto& note : topology.notes) {
      const std::string line = definition_of(topology) + ": " + note;
      if (std::find(record.topology_notes.begin(), record.topology_notes.end(), line) == record.topology_notes.end())
        record.topology_notes.push_back(line);
    }
  }
  for (const auto& job : plan.matrix.definitions) {
    bool first = true;
    for (const auto& metric : job.metrics) {
      record.metrics.push_back({job.name, metric.name, metric.unit, metric.help, metric.better == Better::Higher,
                                std::exchange(first, false)});
    }
  }
  for (const auto& cell : plan.cells) {
    record.cells.push_back({cell.id, cell.kernel, cell.topology, cell.job, cell.parameters,
                            cell.placement ? to_string(*cell.placement) : ""});
    if (cell.peer) record.cells.back().parameters["peer"] = to_string(cell.peer->asked);
  }
  return record;
}

void check_cpu_models(const Plan& plan, const QemuAbilities& qemu) {
  std::string faults;
  auto topologies = plan.matrix.topologies;
  topologies.insert(topologies.end(), plan.matrix.peer_topologies.begin(), plan.matrix.peer_topologies.end());
  for (const auto& topology : topologies) {
    const auto& models = qemu.cpu_models;
    if (models.empty() || std::binary_search(models.begin(), models.end(), topology.cpu_model)) continue;
    const std::string near = nearest(topology.cpu_model, models);
    faults += (faults.empty() ? "" : "\n") + fmt::format("topology {}: QEMU {} has no CPU model '{}'", topology.name,
                                                         qemu.version, topology.cpu_model);
    if (!near.empty()) faults += "\n  did you mean '" + near + "'?";
  }
  if (!faults.empty()) throw InputError(faults + "\n  allowed: what `" + qemu.binary + " -cpu help` lists");
}

}  // namespace rig
