// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/wired_judge.h"

#include <fmt/format.h>

#include "rig/run/wire_proof.h"

namespace rig {
namespace {

// More is not the wire's latency any more.
constexpr double most_lost = 0.01;

Judgement failed(Outcome outcome, std::string reason) { return {outcome, std::move(reason), {}, {}}; }

Outcome of_peer(Outcome outcome) {
  switch (outcome) {
    case Outcome::BootFailed:
      return Outcome::PeerBootFailed;
    case Outcome::Panic:
      return Outcome::PeerPanic;
    case Outcome::Hang:
      return Outcome::PeerHang;
    case Outcome::Timeout:
      return Outcome::PeerTimeout;
    case Outcome::BenchmarkFailed:
      return Outcome::PeerFailed;
    case Outcome::TopologyMismatch:
      return Outcome::PeerTopologyMismatch;
    case Outcome::Truncated:
      return Outcome::PeerTruncated;
    default:
      return outcome;  // the machinery's, and a placement's, which are the cell's
  }
}

// Of a process on the interrupt's own CPU, in so many round trips: beside them the kernel's own calls are few.
constexpr double many_round_trips = 1000, calls_of_remote_wakeups = 0.9;

int instance_of(WireEnd end) { return end == WireEnd::Guest ? 1 : 2; }

}  // namespace

Judgement judge_end(const AttemptFacts& facts, const Topology& topology, const JobSpec& job, const Cell& cell,
                    WireEnd end) {
  if (auto fault = judge_session(facts, topology)) return *fault;
  const bool in_peer = end == WireEnd::Peer;
  const auto outputs = step_outputs(facts.results);
  JobResult result = in_peer ? read_peer_results(job, cell, outputs) : read_results(job, cell, outputs);
  if (!result.failure.empty()) return {result.outcome, result.failure, {}, std::move(result.notes)};

  const int cpu = in_peer ? cell.peer->interrupt_cpu : cell.cpus ? cell.cpus->first : 0;
  const auto proof = prove_wire(facts.results, measured_step(job, end)->name, cpu);
  if (!proof) return failed(Outcome::Truncated, "the guest's counts of interrupts are missing or of another form");
  if (!proof->fault.empty()) return failed(Outcome::PlacementMismatch, "the wire's interrupts: " + proof->fault);

  Judgement judgement{Outcome::Ok, {}, std::move(result.samples), std::move(result.notes)};
  for (auto& note : log_notes(facts.results)) judgement.notes.push_back(std::move(note));
  const auto add = [&](const char* metric, const char* unit, double value, int instance) {
    judgement.samples.push_back({metric, unit, value, instance});
  };
  add("wire.interrupts", "%", proof->interrupts.share() * 100, instance_of(end));
  add("wire.received", "%", proof->received.share() * 100, instance_of(end));
  add("wire.interrupt-count", "interrupts", static_cast<double>(proof->interrupts.total), instance_of(end));
  const auto count = cell.parameters.find("count");
  const auto asked = count == cell.parameters.end() ? std::nullopt : parse_number(count->second);
  const auto process = in_peer ? cell.peer->process_cpu : cell.cpus ? std::optional(cell.cpus->second) : std::nullopt;
  const auto calls = process ? calls_to(facts.results, measured_step(job, end)->name, *process) : std::nullopt;
  if (calls && asked && *asked > 0) {
    const double each = static_cast<double>(*calls) / *asked;
    add("wire.calls", "per round trip", each, instance_of(end));
    if (*process == cpu && *asked >= many_round_trips && each >= calls_of_remote_wakeups)
      return failed(
          Outcome::PlacementMismatch,
          fmt::format("the process was bound to CPU {}, which takes the wire's interrupts, and yet other CPUs "
                      "called that CPU {} times in {:.0f} round trips, as if they had to wake it",
                      cpu, *calls, *asked));
  }
  if (in_peer) return judgement;
  add("wire.lost", "round trips", static_cast<double>(result.lost), 0);
  if (asked && static_cast<double>(result.lost) > *asked * most_lost)
    return failed(Outcome::BenchmarkFailed,
                  fmt::format("{} of {} round trips were lost on the wire", result.lost, count->second));
  return judgement;
}

Judgement judge_wired(const Judgement& guest, const Judgement& peer, std::optional<WireEnd> first) {
  if (first == WireEnd::Peer || (!first && peer.outcome != Outcome::Ok)) {
    Judgement judgement = peer;
    judgement.outcome = of_peer(peer.outcome);
    judgement.reason = "the peer: " + peer.reason;
    judgement.samples.clear();
    return judgement;
  }
  Judgement judgement = guest;
  if (guest.outcome != Outcome::Ok) return judgement;
  judgement.samples.insert(judgement.samples.end(), peer.samples.begin(), peer.samples.end());
  for (const auto& note : peer.notes) judgement.notes.push_back("the peer: " + note);
  return judgement;
}

}  // namespace rig
