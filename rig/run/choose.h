// SPDX-License-Identifier: GPL-2.0-or-later
// Which accelerator a run takes, and why.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rig/plan/plan.h"

namespace rig {

struct AcceleratorChoice {
  Accelerator accelerator;
  std::string reason;  // "kvm: a probe guest did not reach its kernel within 10 s; using the model"
};

// Why this host cannot run guests so, nothing where it can. Asked only where the answer matters.
struct HostAnswers {
  std::function<std::optional<std::string>()> kvm, model;
};

// What can be told before any guest. Throws InputError where the model is asked for and a machine does not
// say how long things take, where a timing is swept and another accelerator is asked for, which takes no
// notice of it, or where a job is over a wire and virtual time is asked for, which two guests cannot share.
void check_asked(std::optional<Accelerator> asked, const std::vector<Topology>& topologies, bool wired = false);

// asked: absent for auto, which takes the model where a timing is swept; else kvm where it serves; else the model where
// every topology says how long things take and this host's QEMU follows it; else tcg. wired: a job is over a
// wire; then auto takes kvm, else tcg-mt. Throws HostLacks where the one
// asked for does not serve, InputError where a topology has no timing for the model asked for.
AcceleratorChoice choose_accelerator(std::optional<Accelerator> asked, const std::vector<Topology>& topologies,
                                     const HostAnswers& host, bool wired = false);

}  // namespace rig
