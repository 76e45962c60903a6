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

// The first timing that a sweep moves, empty where none does.
std::string swept_timing(const std::vector<Topology>& topologies) {
  for (const auto& topology : topologies) {
    for (const auto& setting : topology.swept) {
      if (setting.path.starts_with("timing.")) return setting.path;
    }
  }
  return "";
}

void check_model(const HostAnswers& host) {
  if (const auto fault = host.model())
    throw HostLacks("the modelled mode does not work on this host: " + *fault,
                    "build rig again (./bootstrap), use another QEMU, or --accel tcg");
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

void check_asked(std::optional<Accelerator> asked, const std::vector<Topology>& topologies, bool wired) {
  if (wired && asked == Accelerator::Tcg) {
    throw InputError(
        "a job of this matrix is over a wire between two guests, and two guests cannot share one virtual time: tcg "
        "cannot "
        "run it\n  use --accel kvm or tcg-mt, or --accel model, which has both ends in one guest");
  }
  const bool modelled = asked == Accelerator::Model || (wired && !asked && !swept_timing(topologies).empty());
  if (wired && modelled) {
    for (const auto& topology : topologies) {
      if (topology.peer) continue;
      throw InputError("over a modelled wire the other end needs a package of its own, and topology " + topology.name +
                       " has none\n  say so in the matrix: {base: " + family_of(topology.name) +
                       ", as: NAME, set: {peer: {packages: 1, cores: 1}}}, or use --accel kvm or tcg-mt");
    }
  }
  const std::string untimed = without_timing(topologies), swept = swept_timing(topologies);
  if (!untimed.empty() && (asked == Accelerator::Model || (!asked && !swept.empty()))) {
    throw InputError("the modelled mode needs to know how long things take, and these have no timing: " + untimed +
                     "\n  add a timing: section (see topologies/q6600.yaml), or use --accel tcg");
  }
  if (!swept.empty() && asked && *asked != Accelerator::Model) {
    throw InputError("the matrix sweeps " + swept + ", and only the modelled mode knows timing: under " +
                     to_string(*asked) + " all points would be alike\n  use --accel model");
  }
}

AcceleratorChoice choose_accelerator(std::optional<Accelerator> asked, const std::vector<Topology>& topologies,
                                     const HostAnswers& host, bool wired) {
  check_asked(asked, topologies, wired);
  if (wired && !asked && swept_timing(topologies).empty()) {
    const auto kvm = host.kvm();
    if (!kvm) return {Accelerator::Kvm, "kvm: a probe guest booted under it"};
    return {Accelerator::TcgMt, "kvm: " + *kvm + "; two guests on a wire cannot share virtual time; using tcg-mt"};
  }
  if (!asked && !swept_timing(topologies).empty()) {
    check_model(host);
    return {Accelerator::Model, "the matrix sweeps " + swept_timing(topologies) + ", which only the model knows"};
  }
  if (!asked) return best(topologies, host);
  if (*asked == Accelerator::Kvm) {
    if (const auto fault = host.kvm())
      throw HostLacks("KVM is of no use on this host: " + *fault,
                      "use --accel model or tcg, or a host whose KVM boots guests");
  }
  if (*asked == Accelerator::Model) {
    check_model(host);
  }
  return {*asked, "asked for on the command line"};
}

}  // namespace rig
