// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/modelled_wire.h"

#include <fmt/format.h>

#include <cmath>

#include "rig/base/error.h"
#include "rig/plan/wire.h"
#include "rig/run/wire_proof.h"

namespace rig {
namespace {

// Cycles of the guest's TSC, which are the modelled core's.
std::int64_t delay_cycles(const Topology& topology) {
  const Quantity* delay = topology.timing ? topology.timing->find("wire.delay") : nullptr;
  return delay == nullptr ? 0 : std::llround(in_cycles(*delay, topology.mhz));
}

// The echo as it is at a far end: on the card there.
ScriptStep far_echo(ScriptStep step, const JobSpec& job, std::int64_t delay) {
  if (step.argv.size() < 2 || step.argv[0] != "rig-pinger" || step.argv[1] != "udp-echo") {
    throw InputError(
        fmt::format("job {}, step {}: at the far end of a modelled wire only `rig-pinger udp-echo` can run, "
                    "not {}\n  use --accel kvm or tcg-mt, under which the peer is a guest of its own",
                    job.name, step.name, step.argv[0]));
  }
  for (const std::string& word :
       {std::string("--on"), std::string(far_card), std::string("--delay-cycles"), std::to_string(delay)}) {
    step.argv.push_back(word);
  }
  step.background = true;
  return step;
}

}  // namespace

Cell modelled_wire_cell(const Cell& cell, const Topology& topology) {
  if (!cell.peer) throw InputError("the cell is over no wire: " + describe(cell));
  if (!topology.peer) throw InputError("topology " + topology.name + " has no package for a wire's far end (peer:)");
  if (cell.peer->kernel != cell.kernel || cell.peer->topology != cell.topology) {
    throw InputError(
        fmt::format("{}: over a modelled wire both ends are in one guest, so that the peer has its kernel and "
                    "machine\n  remove `peer:` from the matrix, or use --accel kvm or tcg-mt",
                    describe(cell)));
  }
  if (!cell.peer->process_cpu) {
    throw InputError(
        fmt::format("{}: the far end of a modelled wire has one CPU, so that its process cannot be left unbound there\n"
                    "  say bind: both, or use --accel kvm or tcg-mt",
                    describe(cell)));
  }
  Cell placed = cell;
  placed.peer->interrupt_cpu = peer_cpus(topology).front();
  placed.peer->process_cpu = placed.peer->interrupt_cpu;
  return placed;
}

GuestScript modelled_wire_script(const JobSpec& job, const Cell& cell, const Topology& topology,
                                 const std::string& results) {
  GuestScript script = make_script(job, cell, results, 0);
  GuestScript far = make_script(job, cell, results, 0, WireEnd::Peer);
  std::vector<ScriptStep> steps;
  for (auto& step : far.steps) steps.push_back(far_echo(std::move(step), job, delay_cycles(topology)));
  for (auto& step : script.steps) steps.push_back(std::move(step));
  script.steps = std::move(steps);
  put_on_modelled_wire(script, cell.cpus ? cell.cpus->first : 0, cell.peer->interrupt_cpu);
  return script;
}

Judgement judge_modelled_wire(const AttemptFacts& facts, const Topology& topology, const JobSpec& job,
                              const Cell& cell) {
  if (auto fault = judge_session(facts, topology)) return *fault;
  const auto outputs = step_outputs(facts.results);
  const auto failed = [](Outcome outcome, std::string reason) { return Judgement{outcome, std::move(reason), {}, {}}; };
  JobResult result = read_results(job, cell, outputs);
  if (!result.failure.empty()) return {result.outcome, result.failure, {}, std::move(result.notes)};
  const JobResult far = read_peer_results(job, cell, outputs);
  if (!far.failure.empty()) return failed(far.outcome, "the far end: " + far.failure);

  Judgement judgement{Outcome::Ok, {}, std::move(result.samples), std::move(result.notes)};
  const int near_cpu = cell.cpus ? cell.cpus->first : 0, far_cpu = cell.peer->interrupt_cpu;
  int instance = 1;
  for (const auto& [cpu, other] : {std::pair(near_cpu, far_cpu), {far_cpu, near_cpu}}) {
    // the guest's foreground step lies between the snapshots of both cards
    const auto proof = prove_wire(facts.results, measured_step(job)->name, cpu, other);
    if (!proof) return failed(Outcome::Truncated, "the guest's counts of interrupts are missing or of another form");
    if (!proof->fault.empty()) return failed(Outcome::PlacementMismatch, "the wire's interrupts: " + proof->fault);
    judgement.samples.push_back({"wire.interrupts", "%", proof->interrupts.share() * 100, instance});
    judgement.samples.push_back({"wire.received", "%", proof->received.share() * 100, instance});
    judgement.samples.push_back(
        {"wire.interrupt-count", "interrupts", static_cast<double>(proof->interrupts.total), instance++});
  }
  if (result.lost > 0)
    return failed(Outcome::BenchmarkFailed, fmt::format("{} round trips were lost on the wire", result.lost));
  for (auto& note : log_notes(facts.results)) judgement.notes.push_back(std::move(note));
  judgement.samples.push_back({"wire.lost", "round trips", 0, 0});
  judgement.samples.push_back({"wire.delay", "cycles", static_cast<double>(delay_cycles(topology)), 0});
  return judgement;
}

}  // namespace rig
