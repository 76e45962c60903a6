// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/dry_run.h"

#include <fmt/format.h>

#include "rig/base/base.h"
#include "rig/run/wired_attempt.h"

namespace rig::cli {
namespace {

// Stands where a run has its hypervisor, and holds a dry run to its word.
class NoGuests : public Hypervisor {
 public:
  SessionResult run(const VmSpec&, const std::string&, const SessionLimits&, std::stop_token) override {
    throw std::logic_error("a dry run started a guest");
  }
};

// A kernel that is not built yet: its files have their names only.
KernelArtifact to_be_built(const KernelSpec& spec) {
  KernelArtifact artifact;
  artifact.pvh = !is_prebuilt(spec);
  artifact.vmlinux = "(to be built)/" + spec.name + "/vmlinux";
  artifact.bzimage = "(to be built)/" + spec.name + "/bzImage";
  return artifact;
}

}  // namespace

std::string dry_run_text(const Plan& plan, std::optional<Accelerator> accelerator,
                         const std::filesystem::path& directory, const std::filesystem::path& cache) {
  std::string text = "This is what would be done; nothing is started.\n\n" + plan_text(plan);
  text += "\nkernels\n";
  KernelStore kernels(cache);
  for (const auto& spec : all_kernels(plan.matrix)) {
    const auto cached = kernels.cached(spec);
    text += fmt::format("  {}: {}\n", spec.name,
                        cached ? "in the cache: " + cached->directory.string()
                               : std::string(is_prebuilt(spec) ? "to be taken" : "to be built"));
  }
  text += "\norder\n";
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    const Cell& cell = plan.cells.at(plan.order[i].cell);
    text += fmt::format("  {:>3}. {} {}, boot {} of {}\n", i + 1, cell.id, describe(cell), plan.order[i].repetition + 1,
                        plan.matrix.boots);
  }
  text += fmt::format("\naccelerator: {}\n",
                      accelerator ? to_string(*accelerator) : "auto: chosen by a probe guest before the first boot");
  return text + fmt::format("results: {}\n", directory.string());
}

std::string first_domain(const Plan& plan, std::optional<Accelerator> accelerator, bool strict,
                         const std::filesystem::path& directory, const std::filesystem::path& cache) {
  NoGuests none;
  KernelStore store(cache);
  std::map<std::string, KernelArtifact> kernels;
  for (const auto& spec : all_kernels(plan.matrix)) kernels[spec.name] = store.cached(spec).value_or(to_be_built(spec));
  const Accelerator likely = over_wire(plan.matrix) ? Accelerator::TcgMt : Accelerator::Tcg;
  const auto host = accelerator ? map_plan(plan, *accelerator, strict, 1) : std::nullopt;
  const AttemptContext context{plan, none,      probe_qemu(), accelerator.value_or(likely), kernels,
                               {},   directory, {},           host ? &*host : nullptr};
  const Attempt& first = plan.order.front();
  const Cell& cell = plan.cells.at(first.cell);
  const auto attempt = std::filesystem::absolute(directory) / "cells" / cell.id / "0.0";
  if (cell.peer && accelerator != Accelerator::Model) {
    const auto [guest, peer] = wired_specs(context, first, attempt, attempt, cache / "scratch/attempt/wire");
    return fmt::format("\ndomains of the first boot{}\n{}\n{}", accelerator ? "" : ", as under tcg-mt",
                       domain_xml(guest, context.qemu), domain_xml(peer, context.qemu));
  }
  const VmSpec spec = vm_spec(context, first, attempt, attempt / "initrd");
  return fmt::format("\ndomain of the first boot{}\n{}", accelerator ? "" : ", as under tcg",
                     domain_xml(spec, context.qemu));
}

}  // namespace rig::cli
