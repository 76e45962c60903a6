// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/wire_nic.h"

#include <fmt/format.h>

#include "rig/base/base.h"
#include "rig/kernel/config_text.h"
#include "rig/kernel/version.h"
#include "rig/run/modelled_wire.h"

namespace rig {

NicModel nic_for(const KernelSpec& spec, const KernelArtifact& built) {
  const auto virtio = builds_in(built, "CONFIG_VIRTIO_NET");
  if (!virtio) {
    const auto version = kernel::leading_version(built.release);
    const auto first_virtio = kernel::parse_version("2.6.25");
    return version && first_virtio && *version < *first_virtio ? NicModel::E1000 : NicModel::VirtioNet;
  }
  if (*virtio && builds_in(built, "CONFIG_VIRTIO_PCI").value_or(false)) return NicModel::VirtioNet;
  if (builds_in(built, "CONFIG_E1000").value_or(false)) return NicModel::E1000;
  throw InputError(
      fmt::format("{} has no driver built in for a card on a wire\n  allowed: CONFIG_VIRTIO_NET with "
                  "CONFIG_VIRTIO_PCI (fragment net), or CONFIG_E1000 (fragment cards-2009)",
                  spec.name));
}

NicModel modelled_nic_for(const KernelSpec& spec, const KernelArtifact& built) {
  if (builds_in(built, "CONFIG_E100").value_or(true)) return NicModel::I82557c;  // not known: nearly all have it
  throw InputError(fmt::format(
      "{} has no driver built in for the card of a modelled wire\n  needed: CONFIG_E100=y, and from 4.15 on "
      "CONFIG_CPU_ISOLATION=y (see debian-6.1-wire, or fragment cards-2009)",
      spec.name));
}

std::map<std::string, std::string> nics_of(const Plan& plan, const std::map<std::string, KernelArtifact>& kernels,
                                           bool modelled) {
  std::map<std::string, std::string> nics;
  for (const auto& cell : plan.cells) {
    if (!cell.peer) continue;
    if (modelled) {
      modelled_wire_cell(cell, topology_of(plan, cell));
      const KernelSpec& spec = kernel_of(plan, cell);
      nics[spec.name] = to_string(modelled_nic_for(spec, kernels.at(spec.name)));
      continue;
    }
    for (const KernelSpec* spec : {&kernel_of(plan, cell), &kernel_of(plan, *cell.peer)})
      nics[spec->name] = to_string(nic_for(*spec, kernels.at(spec->name)));
  }
  return nics;
}

}  // namespace rig
