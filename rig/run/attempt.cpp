// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/attempt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "rig/job/job.h"
#include "rig/kernel/config_text.h"
#include "rig/plan/wire.h"
#include "rig/run/initrd.h"
#include "rig/run/modelled.h"
#include "rig/run/modelled_wire.h"
#include "rig/run/old_cmdline.h"
#include "rig/run/proof.h"
#include "rig/run/wire_nic.h"
#include "rig/run/wired_attempt.h"

namespace rig {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* serial_results = "serial:/dev/ttyS1";
constexpr const char* port_results = "port:0x2f8";  // the same, by hand
constexpr const char* virtio_results = "virtio:rig.results";

// A guest's console and results may be of any size; this much of their ends is read.
constexpr std::uintmax_t max_read = 64u << 20;

// Keeps the model's machine and report with the attempt, and its counters with the samples. Figures
// without the model's own account of them do not count.
void add_model(const VmSpec::Model& model, const Topology& topology, const fs::path& directory, Judgement& judgement) {
  const std::string machine = read_file(model.spec), report = read_end(model.report, max_read);
  write_file(directory / "machine", machine);
  if (!report.empty()) write_file(directory / "model-report", report);
  if (judgement.outcome != Outcome::Ok) return;
  try {
    const auto samples = model_samples(report, machine, peer_cpus(topology));
    judgement.samples.insert(judgement.samples.end(), samples.begin(), samples.end());
  } catch (const WorkError& error) {
    judgement = {Outcome::Infrastructure, error.what(), {}, std::move(judgement.notes)};
  }
}

// In real time a host is accident enough.
Perturbation perturbation_for(const AttemptContext& context, const Attempt& attempt) {
  return in_virtual_time(context.accelerator) ? perturbation_of(context.plan.seed, attempt.repetition) : Perturbation{};
}

// Without what perturbs a single boot.
std::string cmdline_of(const AttemptContext& context, const KernelSpec& kernel, const KernelArtifact& built,
                       const Topology& topology) {
  return cmdline_for(kernel_cmdline(topology, context.accelerator, kernel.boot_args,
                                    context.accelerator == Accelerator::TcgMt ? host_tsc_khz() : 0),
                     built.release, context.accelerator);
}

// Keeps the proof that this boot gives, or drops the one that it contradicts.
ViewVerdict prove(const KernelArtifact& built, const ProofOf& of, const AttemptFacts& facts) {
  if (!facts.results.complete || facts.interrupted || facts.results.find("view") == nullptr) return {};
  const bool proved = has_proof(built.directory, of);
  const auto fault = judge_view(facts, of.machine);
  if (!fault)
    keep_proof(built.directory, of, *facts.results.find("view"));
  else
    drop_proof(built.directory, of);
  return {true, fault ? fault->reason : "", proved};
}

// Over a modelled wire the far end is where the topology reserved a place for it.
Cell cell_of(const AttemptContext& context, const Attempt& attempt) {
  const Cell& cell = context.plan.cells[attempt.cell];
  return cell.peer && context.accelerator == Accelerator::Model
             ? modelled_wire_cell(cell, topology_of(context.plan, cell))
             : cell;
}

}  // namespace

std::string read_end(const fs::path& file, std::uintmax_t bytes) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return "";
  const auto size = static_cast<std::uintmax_t>(stream.tellg());
  const auto length = std::min(size, bytes);
  std::string text(length, '\0');
  stream.seekg(static_cast<std::streamoff>(size - length));
  stream.read(text.data(), static_cast<std::streamsize>(length));
  return text;
}

// Virtual time must not depend on when a device completes at host time, and a kernel that rig did
// not configure may lack the virtio console, as those before it do.
ResultsTransport transport_for(Accelerator accelerator, const KernelSpec& kernel, const KernelArtifact& built) {
  if (in_virtual_time(accelerator) || is_prebuilt(kernel)) return ResultsTransport::Serial;
  return builds_in(built, "CONFIG_VIRTIO_CONSOLE").value_or(true) ? ResultsTransport::Virtio : ResultsTransport::Serial;
}

std::string results_word(ResultsTransport transport, const std::string& release, Accelerator accelerator) {
  if (transport == ResultsTransport::Virtio) return virtio_results;
  return misses_serial_interrupts(release, accelerator) ? port_results : serial_results;
}

std::string uuid_of(const std::string& text) {
  const std::string h = sha256(text);
  return fmt::format("{}-{}-4{}-8{}-{}", h.substr(0, 8), h.substr(8, 4), h.substr(13, 3), h.substr(17, 3),
                     h.substr(20, 12));
}

FidelityRecord fidelity(const AttemptContext& context, const std::vector<const Topology*>& guests, std::size_t which,
                        const Conditions& before, const SessionResult& session) {
  if (context.host == nullptr) return unmapped(*guests[which], context.accelerator);
  return fidelity_of(*context.host, context.host->of(guests)[which], *guests[which], before, session.pins);
}

Conditions conditions_before(const AttemptContext& context) {
  return context.host != nullptr ? survey_live().conditions : Conditions{};
}

VmSpec vm_spec(const AttemptContext& context, const Attempt& attempt, const fs::path& directory,
               const fs::path& initrd) {
  const Cell& cell = context.plan.cells[attempt.cell];
  const KernelSpec& kernel = kernel_of(context.plan, cell);
  const KernelArtifact& built = context.kernels.at(cell.kernel);
  const Perturbation perturbation = perturbation_for(context, attempt);
  VmSpec spec;
  spec.name = fmt::format("rig-{}-{}-{}", cell.id, attempt.repetition, ::getpid());
  // the guest sees it, and mixes it into its random numbers
  spec.uuid = uuid_of(fmt::format("{} {} {}", cell.id, attempt.repetition, perturbation.number));
  spec.topology = topology_of(context.plan, cell);
  spec.accelerator = context.accelerator;
  spec.protocol = built.pvh ? BootProtocol::Pvh : BootProtocol::BzImage;
  spec.kernel = built.pvh ? built.vmlinux : built.bzimage;
  spec.initrd = initrd;
  spec.cmdline = cmdline_of(context, kernel, built, spec.topology);
  if (perturbation.number != 0) spec.cmdline += " " + perturbation.word();
  spec.console = directory / "console.log";
  spec.results = directory / "results";
  spec.transport = transport_for(context.accelerator, kernel, built);
  spec.seed = perturbation.number;
  if (cell.peer && context.accelerator == Accelerator::Model)
    spec.nics = modelled_nics(modelled_nic_for(kernel, built));
  // 16 ns an instruction. The shift decides how long a vCPU runs while the others stand still: with
  // 4 ns a request/response pair does several transactions in a slice, and where the scheduler placed
  // its ends hardly shows (measured: BLD's share of remote wake-ups 42 % at shift 2, 75 % at shift 4).
  spec.icount_shift = 4;
  spec.user = context.qemu_user;
  if (context.host != nullptr && !cell.peer) spec.pinning = context.host->of({&spec.topology}).front().pinning;
  return spec;
}

milliseconds wall_limit(const GuestScript& script, Accelerator accelerator) {
  std::int64_t guest = 0;
  for (const auto& step : script.steps) {
    if (!step.background) guest += step.limit_ms;
  }
  // Measured: one busy guest second in virtual time takes 2 to 8 host seconds on a loaded host.
  const std::int64_t factor = accelerator == Accelerator::Kvm ? 1 : accelerator == Accelerator::TcgMt ? 3 : 15;
  return milliseconds(180000 + guest * factor);
}

milliseconds silence_limit(const GuestScript& script, Accelerator accelerator) {
  // In real time the agent's heartbeat never pauses for long. In virtual time it has none, and a
  // guest may rightly say nothing for as long as its longest step.
  std::int64_t longest = 0;
  if (in_virtual_time(accelerator)) {
    for (const auto& step : script.steps) longest = std::max(longest, step.limit_ms);
  }
  return milliseconds(60000 + longest);
}

AttemptFacts session_facts(const VmSpec& spec, const KernelArtifact& built, SessionResult session, bool interrupted) {
  AttemptFacts facts;
  facts.session = std::move(session);
  facts.interrupted = interrupted;
  const std::string bytes = read_end(spec.results, max_read);
  facts.results_begun = !bytes.empty();
  facts.results = decode_results(bytes);
  facts.console = read_end(spec.console, 1u << 20);
  facts.expected_release = built.release;
  facts.expected_config_sha256 = built.config_sha256;
  // In virtual time rig's command line makes the TSC the guest's clock; in real time it is the host's matter.
  if (in_virtual_time(spec.accelerator)) facts.expected_clock = "tsc";
  return facts;
}

ViewVerdict keep_session(const AttemptFacts& facts, const KernelArtifact& built, const ProofOf& of,
                         const fs::path& directory) {
  ViewVerdict verdict = prove(built, of, facts);
  if (!facts.session.qemu_log.empty()) write_file(directory / "qemu.log", facts.session.qemu_log);
  if (const std::string* view = facts.results.find("view")) write_file(directory / "view.txt", *view);
  return verdict;
}

std::map<std::string, std::int64_t> stages_of(const SessionResult& session, milliseconds prepared) {
  const auto span = [](milliseconds from, milliseconds to) { return std::max<std::int64_t>(0, (to - from).count()); };
  return {{"plan", prepared.count()},
          {"create", session.created.count()},
          {"boot", span(session.created, session.booted)},
          {"job", span(session.booted, session.finished)},
          {"teardown", span(session.finished, session.stopped)}};
}

void begin_directory(const fs::path& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  make_directories(directory);
}

void check_room(const AttemptFacts& facts, const fs::path& directory) {
  constexpr std::size_t room = 1u << 20;
  if (facts.results.complete || facts.interrupted) return;
  const fs::path probe = directory / "room";
  write_file(probe, std::string(room, 'r'));
  std::error_code ignored;
  fs::remove(probe, ignored);
}

AttemptEnd run_attempt(const AttemptContext& context, const Attempt& attempt, int number, const StageSink& stage,
                       std::stop_token stop) {
  if (context.plan.cells[attempt.cell].peer && context.accelerator != Accelerator::Model)
    return run_wired_attempt(context, attempt, number, stage, std::move(stop));
  const auto begun = std::chrono::steady_clock::now();
  const Cell cell = cell_of(context, attempt);
  const JobSpec& job = job_of(context.plan, cell);
  const KernelArtifact& built = context.kernels.at(cell.kernel);

  AttemptRecord record;
  record.cell = cell.id;
  record.repetition = attempt.repetition;
  record.attempt = number;
  record.started = format_utc(std::chrono::system_clock::now());

  const fs::path directory = context.directory / "cells" / cell.id / fmt::format("{}.{}", attempt.repetition, number);
  begin_directory(directory);
  const TempDir scratch(context.scratch, "attempt");
  fs::permissions(scratch.path(), fs::perms(0755));

  VmSpec spec = vm_spec(context, attempt, directory, scratch.path() / "initrd");
  const int heartbeat_ms = in_virtual_time(context.accelerator) ? 0 : 1000;
  const std::string results = results_word(spec.transport, built.release, context.accelerator);
  GuestScript script = cell.peer ? modelled_wire_script(job, cell, spec.topology, results)
                                 : make_script(job, cell, results, heartbeat_ms);
  script.perturbation = perturbation_for(context, attempt);
  const std::string text = script_text(script);
  if (context.accelerator == Accelerator::Model) spec.model = prepare_model(spec.topology, scratch.path());
  const std::string xml = domain_xml(spec, context.qemu);
  write_file(directory / "script", text);
  write_file(directory / "domain.xml", xml);
  write_initrd(spec.initrd, context.images.of(cell.kernel).file, text);

  SessionLimits limits;
  limits.wall = wall_limit(script, context.accelerator);
  limits.silence = silence_limit(script, context.accelerator);
  if (context.host != nullptr) limits.silence *= context.host->side_by_side();  // they take turns on its CPUs
  stage("booting");
  const auto prepared = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);

  const Conditions conditions = conditions_before(context);
  SessionResult session = context.hypervisor.run(spec, xml, limits, stop);
  const AttemptFacts facts = session_facts(spec, built, std::move(session), stop.stop_requested());
  stage("judging");
  check_room(facts, directory);
  Judgement judgement =
      cell.peer ? judge_modelled_wire(facts, spec.topology, job, cell) : judge(facts, spec.topology, job, cell);
  const ViewVerdict verdict =
      keep_session(facts, built,
                   {spec.topology, context.accelerator,
                    cmdline_of(context, kernel_of(context.plan, cell), built, spec.topology), context.qemu.version},
                   directory);

  if (spec.model) add_model(*spec.model, spec.topology, directory, judgement);

  record.outcome = judgement.outcome;
  record.reason = std::move(judgement.reason);
  record.samples = std::move(judgement.samples);
  record.notes = std::move(judgement.notes);
  record.fidelity = {fidelity(context, {&spec.topology}, 0, conditions, facts.session)};
  record.stages_ms = stages_of(facts.session, prepared);
  return {std::move(record), verdict};
}

}  // namespace rig
