// SPDX-License-Identifier: GPL-2.0-or-later
// One repetition of one cell: from artifacts to a recorded outcome.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>

#include "rig/kernel/kernel.h"
#include "rig/plan/guest_script.h"
#include "rig/plan/plan.h"
#include "rig/record/record.h"
#include "rig/run/images.h"
#include "rig/run/judge.h"
#include "rig/run/mapped.h"
#include "rig/run/proof.h"
#include "rig/vm/vm.h"

namespace rig {

// What all attempts of a run share.
struct AttemptContext {
  const Plan& plan;
  Hypervisor& hypervisor;
  QemuAbilities qemu;
  Accelerator accelerator = Accelerator::Tcg;
  std::map<std::string, KernelArtifact> kernels;  // by the plan's kernel names
  RunImages images;
  std::filesystem::path directory;  // the run's
  std::filesystem::path scratch;    // below the cache: initramfs files while a guest runs
  const HostMap* host = nullptr;    // in real time: where guests lie on this host
  std::optional<VmSpec::User> qemu_user = {};
};

using StageSink = std::function<void(const std::string& stage)>;

// The machine of an attempt; pure but for the paths it names below directory.
VmSpec vm_spec(const AttemptContext& context, const Attempt& attempt, const std::filesystem::path& directory,
               const std::filesystem::path& initrd);

// How results leave a guest of this kernel: by a serial port in virtual time, and where the kernel lacks the
// virtio console or may lack it.
ResultsTransport transport_for(Accelerator accelerator, const KernelSpec& kernel, const KernelArtifact& built);
// The script's word for it in a kernel of this release: "serial:/dev/ttyS1".
std::string results_word(ResultsTransport transport, const std::string& release, Accelerator accelerator);

// A domain's UUID, from what tells it from others.
std::string uuid_of(const std::string& text);

// The end of a file that may be of any size; empty where there is none.
std::string read_end(const std::filesystem::path& file, std::uintmax_t bytes);

// A fresh directory for an attempt: what a killed rig left of the same one goes.
void begin_directory(const std::filesystem::path& directory);
// A full disk cuts a guest's files without a word to anybody, and the guest must not be blamed: where results are
// incomplete and there is no room left, throws WorkError.
void check_room(const AttemptFacts& facts, const std::filesystem::path& directory);

// What is known of a session that has ended: its files are read.
AttemptFacts session_facts(const VmSpec& spec, const KernelArtifact& built, SessionResult session, bool interrupted);
// Keeps qemu.log and view.txt of it, and the proof of what its kernel saw.
ViewVerdict keep_session(const AttemptFacts& facts, const KernelArtifact& built, const ProofOf& of,
                         const std::filesystem::path& directory);
// How the guest `which` of those that ran together sat on this host, and the host's conditions before they booted.
FidelityRecord fidelity(const AttemptContext& context, const std::vector<const Topology*>& guests, std::size_t which,
                        const Conditions& before, const SessionResult& session);
Conditions conditions_before(const AttemptContext& context);
std::map<std::string, std::int64_t> stages_of(const SessionResult& session, std::chrono::milliseconds prepared);

// Host time that an attempt may take: what its steps may take in guest time, times what this
// accelerator is slower at the worst, and the boot.
std::chrono::milliseconds wall_limit(const GuestScript& script, Accelerator accelerator);

// No sign of progress for so long is a hang: host time where time is real, guest time in virtual time.
std::chrono::milliseconds silence_limit(const GuestScript& script, Accelerator accelerator);

// Boots, waits, judges; leaves domain.xml, script, console.log, results and view.txt in
// cells/CELL/REPETITION.TRY/ of the run. Throws only for what ends the whole run (a full disk).
struct AttemptEnd {
  AttemptRecord record;
  ViewVerdict view;
};
AttemptEnd run_attempt(const AttemptContext& context, const Attempt& attempt, int number, const StageSink& stage,
                       std::stop_token stop);

}  // namespace rig
