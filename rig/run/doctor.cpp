// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/base/base.h"
#include "rig/kernel/kernel.h"
#include "rig/run/choose.h"
#include "rig/run/memory.h"
#include "rig/run/probes.h"
#include "rig/vm/vm.h"

namespace rig {
namespace {

Finding lacking(const std::string& name, const Error& error) {
  const std::string text = error.what(), mark = "\n  mend: ";
  const auto at = text.find(mark);
  return {.name = name,
          .state = FindingState::Mend,
          .text = text.substr(0, at),
          .mend = at == std::string::npos ? "" : text.substr(at + mark.size()),
          .needed = true};
}

// One patient.
class Visit {
 public:
  Visit(const DoctorRequest& request, const std::function<void(const Finding&)>& found,
        const std::function<void(const std::string&)>& say, std::stop_token stop)
      : request_(request), found_(found), say_(say), stop_(std::move(stop)) {}

  Diagnosis run() {
    if (find_cache()) {
      if (request_.fresh) forget_probes(request_.cache);
      const auto kernel = find_kernels();
      say_("trying the tools");
      find_tools(request_, builds_, [this](Finding finding) { add(std::move(finding)); }, stop_);
      find_memory();
      find_guests(kernel);
    }
    for (const auto& topology : request_.topologies) add(topology_finding(topology, request_.host));
    add(noise_finding(request_.host));
    return std::move(diagnosis_);
  }

 private:
  void add(Finding finding) {
    found_(finding);
    diagnosis_.findings.push_back(std::move(finding));
  }

  // Kernels, images, packages, libvirt's files and the guests' all lie there.
  bool find_cache() {
    try {
      make_directories(request_.cache);
      const TempDir trial(request_.cache, "doctor");
      write_file(trial.path() / "trial", "works\n");
      return true;
    } catch (const Error& error) {
      const std::string why = error.what();
      add({.name = "cache",
           .state = FindingState::Mend,
           .text = fmt::format("{}; what needs it was not tried", why.substr(0, why.find('\n'))),
           .mend = "set XDG_CACHE_HOME to a directory that can be written",
           .needed = true});
      return false;
    }
  }

  // The main job's kernels; the first of those that are built, to try guests with.
  std::optional<KernelArtifact> find_kernels() {
    KernelStore store(request_.cache);
    std::optional<KernelArtifact> first;
    std::string built, missing, names;
    for (const auto& kernel : request_.plan.matrix.kernels) {
      auto cached = store.cached(kernel);
      auto& list = cached ? built : missing;
      list += (list.empty() ? "" : ", ") + kernel.name;
      if (!cached) names += " " + kernel.name;
      if (!first) first = std::move(cached);
    }
    builds_ = !missing.empty();
    if (builds_)
      add({.name = "kernels",
           .state = FindingState::Mend,
           .text = "not built yet: " + missing,
           .mend = "rig build kernel" + names + " (the first takes minutes; rig run does it by itself)"});
    else
      add({.name = "kernels", .text = "built: " + built});
    return first;
  }

  void find_memory() {
    std::uint64_t most = 0;
    for (const auto& topology : request_.plan.matrix.topologies) most = std::max(most, memory_bytes(topology));
    const std::uint64_t available = survey_memory().available;
    const double gib = 1u << 30;
    // QEMU's own, with its translated code, comes to less than half as much
    const bool enough = available > most + most / 2;
    add({.name = "memory",
         .state = enough ? FindingState::Ok : FindingState::Mend,
         .text = fmt::format("{:.1f} GiB can be had; a guest of the main job has {:.1f}",
                             static_cast<double>(available) / gib, static_cast<double>(most) / gib),
         .mend = enough ? "" : "end other programs",
         .needed = true});
  }

  void find_guests(const std::optional<KernelArtifact>& kernel) {
    try {
      const QemuAbilities qemu = probe_qemu();
      find_qemu(qemu);
      say_("opening libvirt");
      const auto hypervisor = open_libvirt(request_.cache);
      add({.name = "libvirt", .text = libvirt_version() + ", its embedded driver opens", .needed = true});
      if (!kernel) return untried();
      const auto& machines = request_.plan.matrix.topologies;
      try_guests({*hypervisor, qemu, *kernel, machines.front(), request_.cache, stop_});
    } catch (const InterruptedError&) {
      throw;
    } catch (const HostLacks& error) {
      add(lacking("guests", error));
    }
  }

  void find_qemu(const QemuAbilities& qemu) {
    Finding finding{.name = "QEMU", .text = qemu.version + " (" + qemu.binary + ")", .needed = true};
    finding.text += qemu.smp_cache ? ", shows shared caches" : ", cannot show an L2 as shared";
    finding.text += qemu.plugins ? ", takes plug-ins" : ", takes no plug-ins";
    if (!qemu.smp_cache || !qemu.plugins) {
      finding.state = FindingState::Mend;
      finding.mend = "QEMU 10.0 or newer, built with plug-ins; Debian 12 has it in bookworm-backports";
    }
    finding.needed = !qemu.smp_cache;  // without plug-ins only the modelled mode is amiss
    add(finding);
  }

  void untried() {
    for (const char* name : {"guest", "KVM", "model"}) {
      add({.name = name,
           .state = FindingState::Mend,
           .text = "not tried: no kernel of the main job is built yet",
           .mend = "rig build kernel " + request_.plan.matrix.kernels.front().name + ", then rig doctor again"});
    }
  }

  void try_guests(const ProbeGear& gear) {
    say_("booting a guest");
    const auto guest = guest_fault(gear);
    const std::string shape = "a guest of the shape " + gear.machine.name;
    add({.name = "guest",
         .state = guest ? FindingState::Mend : FindingState::Ok,
         .text = guest ? shape + ": " + *guest : shape + " boots (tcg) and sees its machine as defined",
         .mend = guest ? "./bootstrap brings the QEMU and libvirt that rig is tried with" : "",
         .needed = true});
    // each is asked once, though the choice asks as well
    const HostAnswers answers = host_answers(gear, say_);
    const auto kvm = answers.kvm(), model = answers.model();
    add({.name = "KVM",
         .state = kvm ? FindingState::Lacks : FindingState::Ok,
         .text = kvm ? *kvm + ": nothing can be measured here" : "a probe guest booted under it",
         .mend = kvm ? "a host whose KVM boots guests; the model and plain emulation need none" : ""});
    add({.name = "model",
         .state = model ? FindingState::Mend : FindingState::Ok,
         .text = model ? *model : "QEMU follows it: its self-test passed",
         .mend = model ? "build rig again (./bootstrap), or use another QEMU; --accel tcg does without" : ""});
    if (guest) return;
    const auto choice = choose_accelerator({}, request_.plan.matrix.topologies,
                                           {.kvm = [&] { return kvm; }, .model = [&] { return model; }});
    diagnosis_.accelerator = choice.accelerator;
    diagnosis_.accelerator_reason = choice.reason;
  }

  const DoctorRequest& request_;
  const std::function<void(const Finding&)>& found_;
  const std::function<void(const std::string&)>& say_;
  std::stop_token stop_;
  Diagnosis diagnosis_;
  bool builds_ = false;
};

}  // namespace

std::string to_string(FindingState state) {
  return state == FindingState::Ok ? "ok" : state == FindingState::Lacks ? "lacks" : "mend";
}

bool can_run(const Diagnosis& diagnosis) {
  return std::none_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                      [](const Finding& finding) { return finding.needed && finding.state != FindingState::Ok; });
}

Diagnosis diagnose(const DoctorRequest& request, const std::function<void(const Finding&)>& found,
                   const std::function<void(const std::string&)>& say, std::stop_token stop) {
  return Visit(request, found, say, std::move(stop)).run();
}

}  // namespace rig
