// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/choose.h"

#include "rig/base/base.h"

namespace rig {
namespace {

// The names of those without, empty where there are none.
std::string without_timing(const std::vector<Topology>& topologies) {
  std::string names;
  for (const auto& topology : topologies) {
    if (!topology.timing) names += (names.empty() ? "" : ", ") + topology.name;
  }
  return names;
}

AcceleratorChoice best(const std::vector<Topology>& topologies, const HostAnswers& host) {
  const auto kvm = host.kvm();
  if (!kvm) return {Accelerator::Kvm, "kvm: a probe guest booted under it"};
  const std::string untimed = without_timing(topologies);
  if (!untimed.empty()) return {Accelerator::Tcg, "kvm: " + *kvm + "; model: no timing of " + untimed + "; using tcg"};
  const auto model = host.model();
  if (model) return {Accelerator::Tcg, "kvm: " + *kvm + "; model: " + *model + "; using tcg"};
  return {Accelerator::Model, "kvm: " + *kvm + "; using the model"};
}

}  // namespace

AcceleratorChoice choose_accelerator(std::optional<Accelerator> asked, const std::vector<Topology>& topologies,
                                     const HostAnswers& host) {
  if (!asked) return best(topologies, host);
  if (*asked == Accelerator::Kvm) {
    if (const auto fault = host.kvm())
      throw HostLacks("KVM is of no use on this host: " + *fault,
                      "use --accel model or tcg, or a host whose KVM boots guests");
  }
  if (*asked == Accelerator::Model) {
    if (const std::string untimed = without_timing(topologies); !untimed.empty())
      throw InputError("the modelled mode needs to know how long things take, and these have no timing: " + untimed +
                       "\n  add a timing: section (see topologies/q6600.yaml), or use --accel tcg");
    if (const auto fault = host.model())
      throw HostLacks("the modelled mode does not work on this host: " + *fault, "use --accel tcg, or another QEMU");
  }
  return {*asked, "asked for on the command line"};
}

}  // namespace rig
