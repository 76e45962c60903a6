// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/wired_attempt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "rig/plan/wire.h"
#include "rig/run/initrd.h"
#include "rig/run/old_cmdline.h"
#include "rig/run/wire_nic.h"
#include "rig/run/wired_judge.h"

namespace rig {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int heartbeat_ms = 1000;

// One of the two guests, from its files to its judgement.
struct End {
  WireEnd which;
  VmSpec spec;
  const KernelArtifact& built;
  fs::path directory;
  std::string xml = {};
  SessionLimits limits = {};
  std::stop_source stop = {};  // asked for by the run, or for the other's sake
  AttemptFacts facts = {};
  Judgement judgement = {};
};

// Script, archive and domain of an end; its limits.
void prepare(End& end, const AttemptContext& context, const JobSpec& job, const Cell& cell) {
  const bool in_peer = end.which == WireEnd::Peer;
  GuestScript script = make_script(job, cell, results_word(end.spec.transport, end.built.release, context.accelerator),
                                   heartbeat_ms, end.which);
  put_on_wire(script, end.which, in_peer ? cell.peer->interrupt_cpu : cell.cpus ? cell.cpus->first : 0);
  const std::string text = script_text(script);
  end.xml = domain_xml(end.spec, context.qemu);
  make_directories(end.directory);
  write_file(end.directory / "script", text);
  write_file(end.directory / "domain.xml", end.xml);
  write_initrd(end.spec.initrd, context.images.of(in_peer ? cell.peer->kernel : cell.kernel).file, text);
  end.limits.wall = wall_limit(script, context.accelerator);
  end.limits.silence = silence_limit(script, context.accelerator);
  // guests side by side take turns on the host's CPUs
  if (context.host != nullptr) end.limits.silence *= context.host->side_by_side();
}

// Both sessions at once. Answers whose failure came first, if one failed.
class Wire {
 public:
  Wire(const AttemptContext& context, const JobSpec& job, const Cell& cell, End& guest, End& peer)
      : context_(context), job_(job), cell_(cell), guest_(guest), peer_(peer) {}

  std::optional<WireEnd> run(std::stop_token stop) {
    const std::stop_callback pass_on(stop, [this] {
      guest_.stop.request_stop();
      peer_.stop.request_stop();
    });
    {
      const std::jthread beside([&] { run_end(peer_, guest_, stop); });
      run_end(guest_, peer_, stop);
    }
    if (error_) std::rethrow_exception(error_);
    return first_;
  }

 private:
  void run_end(End& own, End& other, const std::stop_token& stop) {
    try {
      SessionResult session = context_.hypervisor.run(own.spec, own.xml, own.limits, own.stop.get_token());
      own.facts = session_facts(own.spec, own.built, std::move(session), stop.stop_requested());
      own.judgement = judge_end(own.facts, own.spec.topology, job_, cell_, own.which);
      if (own.judgement.outcome == Outcome::Ok) return;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = own.which;
    other.stop.request_stop();
  }

  const AttemptContext& context_;
  const JobSpec& job_;
  const Cell& cell_;
  End &guest_, &peer_;
  std::mutex mutex_;
  std::optional<WireEnd> first_;
  std::exception_ptr error_;
};

}  // namespace

std::pair<VmSpec, VmSpec> wired_specs(const AttemptContext& context, const Attempt& attempt, const fs::path& directory,
                                      const fs::path& scratch, const fs::path& wire) {
  const Cell& cell = context.plan.cells[attempt.cell];
  VmSpec guest = vm_spec(context, attempt, directory, scratch / "initrd");
  VmSpec peer = guest;
  const KernelSpec& kernel = kernel_of(context.plan, *cell.peer);
  const KernelArtifact& built = context.kernels.at(kernel.name);
  guest.nics = {
      wire_nic(WireEnd::Guest, nic_for(kernel_of(context.plan, cell), context.kernels.at(cell.kernel)), wire)};
  peer.name = guest.name + "-peer";
  peer.uuid = uuid_of(peer.name);
  peer.topology = topology_of(context.plan, *cell.peer);
  peer.protocol = built.pvh ? BootProtocol::Pvh : BootProtocol::BzImage;
  peer.kernel = built.pvh ? built.vmlinux : built.bzimage;
  peer.initrd = scratch / "initrd-peer";
  peer.cmdline = kernel_cmdline(peer.topology, context.accelerator, kernel.boot_args,
                                context.accelerator == Accelerator::TcgMt ? host_tsc_khz() : 0);
  peer.cmdline = cmdline_for(std::move(peer.cmdline), built.release, context.accelerator);
  peer.console = directory / "peer/console.log";
  peer.results = directory / "peer/results";
  peer.transport = transport_for(context.accelerator, kernel, built);
  if (context.host != nullptr) {
    const auto& mapped = context.host->of({&guest.topology, &peer.topology});
    guest.pinning = mapped[0].pinning;
    peer.pinning = mapped[1].pinning;
  }
  peer.nics = {wire_nic(WireEnd::Peer, nic_for(kernel, built), wire)};
  return {std::move(guest), std::move(peer)};
}

AttemptEnd run_wired_attempt(const AttemptContext& context, const Attempt& attempt, int number, const StageSink& stage,
                             std::stop_token stop) {
  const auto begun = std::chrono::steady_clock::now();
  const Cell& cell = context.plan.cells[attempt.cell];
  const JobSpec& job = job_of(context.plan, cell);
  AttemptRecord record;
  record.cell = cell.id;
  record.repetition = attempt.repetition;
  record.attempt = number;
  record.started = format_utc(std::chrono::system_clock::now());

  const fs::path directory = context.directory / "cells" / cell.id / fmt::format("{}.{}", attempt.repetition, number);
  begin_directory(directory);
  const TempDir scratch(context.scratch, "attempt");
  fs::permissions(scratch.path(), fs::perms(0755));
  make_directories(scratch.path() / "wire");
  auto [guest_spec, peer_spec] = wired_specs(context, attempt, directory, scratch.path(), scratch.path() / "wire");
  End guest{WireEnd::Guest, std::move(guest_spec), context.kernels.at(cell.kernel), directory};
  End peer{WireEnd::Peer, std::move(peer_spec), context.kernels.at(cell.peer->kernel), directory / "peer"};
  for (End* end : {&guest, &peer}) prepare(*end, context, job, cell);
  // Each waits for the other at first: the limits are the longer ones, for both.
  guest.limits.wall = peer.limits.wall = std::max(guest.limits.wall, peer.limits.wall);
  stage("booting two guests");
  const auto prepared = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);

  const Conditions conditions = conditions_before(context);
  const auto first = Wire(context, job, cell, guest, peer).run(stop);
  stage("judging");
  for (const End* end : {&guest, &peer}) check_room(end->facts, end->directory);
  const auto keep = [&](const End& end) {
    const ProofOf of{end.spec.topology, context.accelerator, end.spec.cmdline, context.qemu.version};
    return keep_session(end.facts, end.built, of, end.directory);
  };
  const ViewVerdict verdict = keep(guest);
  keep(peer);
  Judgement judgement = judge_wired(guest.judgement, peer.judgement, first);
  record.outcome = judgement.outcome;
  record.reason = std::move(judgement.reason);
  record.samples = std::move(judgement.samples);
  record.notes = std::move(judgement.notes);
  const std::vector<const Topology*> both = {&guest.spec.topology, &peer.spec.topology};
  record.fidelity = {fidelity(context, both, 0, conditions, guest.facts.session),
                     fidelity(context, both, 1, conditions, peer.facts.session)};
  record.stages_ms = stages_of(guest.facts.session, prepared);
  return {std::move(record), verdict};
}

}  // namespace rig
