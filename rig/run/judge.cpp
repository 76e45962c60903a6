// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/judge.h"

#include <algorithm>

#include "rig/job/job.h"
#include "rig/topology/guest_view.h"

namespace rig {
namespace {

Judgement failed(Outcome outcome, std::string reason) { return {outcome, std::move(reason), {}, {}}; }

// Sentences of the kernel's own sources (kernel/panic.c, arch/x86/mm/fault.c, init/main.c).
constexpr std::string_view death_marks[] = {"Kernel panic - not syncing", "Oops: ", "BUG: unable to handle",
                                            "No working init found", "Unable to mount root fs"};

bool panicked(const std::string& console) {
  return std::any_of(std::begin(death_marks), std::end(death_marks),
                     [&](std::string_view mark) { return console.find(mark) != std::string::npos; });
}

// What a kernel says of itself when it stands still or kills for want of memory (kernel/watchdog.c,
// kernel/rcu/tree_stall.h, kernel/hung_task.c, mm/oom_kill.c), and lives on.
constexpr std::string_view complaints[] = {"soft lockup", "hard LOCKUP", "detected stall", "blocked for more than",
                                           "Out of memory: "};

// The last of them on a console, as an end of a sentence; empty where there is none.
std::string last_complaint(const std::string& console) {
  std::size_t at = std::string::npos;
  for (const auto complaint : complaints) {
    const auto found = console.rfind(complaint);
    if (found != std::string::npos && (at == std::string::npos || found > at)) at = found;
  }
  if (at == std::string::npos) return "";
  const auto before = console.rfind('\n', at);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return "; its console says: " + last_words(console.substr(begin, console.find('\n', at) - begin));
}

// A kernel that has oopsed may go on, and nothing that it then says can be trusted. "[#1]" counts its oopses
// (arch/x86/kernel/dumpstack.c, __die).
std::string oops_of(const ResultStream& stream) {
  std::string warnings;
  for (const auto& frame : stream.frames) {
    if (frame.name == "view" || frame.name == "klog-warnings") warnings += frame.payload + "\n";
  }
  for (std::size_t begin = 0; begin < warnings.size();) {
    const auto end = std::min(warnings.find('\n', begin), warnings.size());
    const std::string_view line = std::string_view(warnings).substr(begin, end - begin);
    const bool warning = line.starts_with("warning ");
    for (const std::string_view mark :
         {"Oops: ", "BUG: unable to handle", "BUG: kernel NULL pointer", "kernel BUG at", "[#1]"}) {
      if (warning && line.find(mark) != std::string_view::npos) return std::string(line.substr(8));
    }
    begin = end + 1;
  }
  return "";
}

// Why a stream without an intact trailer is without it.
Judgement judge_incomplete(const AttemptFacts& facts) {
  const auto& session = facts.session;
  if (panicked(facts.console)) return failed(Outcome::Panic, last_words(facts.console));
  // A kernel that repeats its complaints has hung; results that never end are none.
  if (session.flooded) return failed(facts.results_begun ? Outcome::Hang : Outcome::BootFailed, session.detail);
  if (session.end == DomainEnd::Failed) {
    return failed(Outcome::Infrastructure, session.detail.empty() ? "QEMU ended by itself" : session.detail);
  }
  if (session.silent) {
    return failed(facts.results_begun ? Outcome::Hang : Outcome::BootFailed,
                  facts.results_begun ? "the guest showed no progress any more" + last_complaint(facts.console)
                                      : "the guest booted no further than: " + last_words(facts.console));
  }
  if (session.wall_limit) {
    return failed(facts.results_begun ? Outcome::Timeout : Outcome::BootFailed,
                  facts.results_begun
                      ? "the attempt did not end within its time limit" + last_complaint(facts.console)
                      : "no word from the guest within the time limit; its console ends: " + last_words(facts.console));
  }
  if (session.end == DomainEnd::Crashed) {
    return failed(Outcome::Panic, session.detail + "; its console ends: " + last_words(facts.console));
  }
  if (session.end != DomainEnd::PowerOff) {
    return failed(Outcome::Infrastructure, session.detail.empty() ? "QEMU ended by itself" : session.detail);
  }
  if (!facts.results_begun) {
    return failed(Outcome::BootFailed,
                  "the guest powered off without a word; its console ends: " + last_words(facts.console));
  }
  return failed(Outcome::Truncated, facts.results.fault);
}

}  // namespace

// What the frames say of one process: "out/STEP/COPY".
std::vector<StepOutput> step_outputs(const ResultStream& stream) {
  std::vector<StepOutput> outputs;
  for (const auto& frame : stream.frames) {
    const auto first = frame.name.find('/'), last = frame.name.rfind('/');
    if (first == std::string::npos || last == first) continue;
    const auto copy = parse_integer(std::string_view(frame.name).substr(last + 1));
    const std::string kind = frame.name.substr(0, first), step = frame.name.substr(first + 1, last - first - 1);
    if (!copy || *copy < 0 || *copy > 100000 || (kind != "out" && kind != "err" && kind != "status")) continue;
    auto found = std::find_if(outputs.begin(), outputs.end(),
                              [&](const StepOutput& o) { return o.step == step && o.copy == *copy; });
    if (found == outputs.end())
      found = outputs.insert(outputs.end(), StepOutput{step, static_cast<int>(*copy), {}, {}, {}});
    (kind == "out" ? found->out : kind == "err" ? found->err : found->status) = frame.payload;
  }
  return outputs;
}

std::string last_words(const std::string& console) {
  std::string found, last;
  for (std::size_t begin = 0; begin < console.size();) {
    const auto end = std::min(console.find('\n', begin), console.size());
    std::string line;
    for (const char c : std::string_view(console).substr(begin, std::min<std::size_t>(end - begin, 200))) {
      if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) line += c;
    }
    if (line.find_first_not_of(' ') != std::string::npos) last = line;
    if (found.empty() && panicked(line)) found = line;
    begin = end + 1;
  }
  return !found.empty() ? found : !last.empty() ? last : "(its console is empty)";
}

std::optional<Judgement> judge_view(const AttemptFacts& facts, const Topology& topology) {
  const std::string* text = facts.results.find("view");
  if (text == nullptr) return failed(Outcome::Truncated, "the guest's view of itself is missing");
  GuestView view;
  try {
    view = parse_guest_view(*text);
  } catch (const Error& error) {
    return failed(Outcome::Truncated, error.what());
  }
  if (!facts.expected_release.empty() && view.release != facts.expected_release) {
    return failed(Outcome::BootFailed,
                  "another kernel answered: asked " + facts.expected_release + ", seen " + view.release);
  }
  if (!facts.expected_config_sha256.empty() && view.config_sha256 != facts.expected_config_sha256) {
    return failed(Outcome::BootFailed, "a kernel of another configuration answered: asked " +
                                           facts.expected_config_sha256.substr(0, 12) + ", seen " +
                                           (view.config_sha256.empty() ? "none" : view.config_sha256.substr(0, 12)));
  }
  const auto differing = differences(topology, view);
  if (!differing.empty()) {
    std::string reason;
    for (std::size_t i = 0; i < differing.size() && i < 4; ++i) reason += (i > 0 ? "; " : "") + differing[i];
    if (differing.size() > 4) reason += "; and " + std::to_string(differing.size() - 4) + " more";
    return failed(Outcome::TopologyMismatch, reason);
  }
  // Without its timer the kernel has no high resolution, and the figures mean something else; it
  // comes of a busy host under emulation, so that another boot may be right.
  if (view.lapic.rfind("disabled", 0) == 0) {
    return failed(Outcome::Infrastructure, "the kernel turned its local APIC timer off: " + view.lapic);
  }
  // Another clock is a device: asking it for the time costs more than what is measured.
  if (!facts.expected_clock.empty() && view.clocksource.rfind(facts.expected_clock, 0) != 0) {
    return failed(Outcome::Infrastructure, "the kernel's clock is not the " + facts.expected_clock + " but " +
                                               (view.clocksource.empty() ? "not known" : view.clocksource));
  }
  return std::nullopt;
}

std::optional<Judgement> judge_session(const AttemptFacts& facts, const Topology& topology) {
  if (facts.interrupted) return failed(Outcome::Interrupted, "interrupted");
  // rig has ended it for that, so that nothing of it counts, and its end says nothing
  if (facts.session.pins && !facts.session.pins->mismatch.empty())
    return failed(Outcome::PlacementMismatch, facts.session.pins->mismatch);
  if (!facts.results.complete) return judge_incomplete(facts);
  if (facts.session.pins && facts.session.pins->looks == 0)
    return failed(Outcome::Infrastructure, "QEMU's threads could not be watched: whether its pins held is not known");
  if (auto fault = judge_view(facts, topology)) return fault;
  if (const auto at = facts.console.find("Initramfs unpacking failed"); at != std::string::npos) {
    return failed(Outcome::BootFailed, "the guest's memory does not hold what it boots from: " +
                                           last_words(facts.console.substr(at, facts.console.find('\n', at) - at)));
  }
  if (const std::string* error = facts.results.find("error"))
    return failed(Outcome::BenchmarkFailed, "the agent: " + *error);
  if (const std::string oops = oops_of(facts.results); !oops.empty())
    return failed(Outcome::Panic, "the kernel oopsed and went on: " + oops);
  return std::nullopt;
}

std::vector<std::string> log_notes(const ResultStream& stream) {
  std::vector<std::string> notes;
  for (const auto& warning : parse_guest_view(*stream.find("view")).warnings)
    notes.push_back("the kernel's log: " + warning);
  if (const std::string* warnings = stream.find("klog-warnings"))
    notes.push_back("the kernel's log at the end: " + *warnings);
  return notes;
}

Judgement judge(const AttemptFacts& facts, const Topology& topology, const JobSpec& job, const Cell& cell) {
  if (auto fault = judge_session(facts, topology)) return *fault;
  JobResult result = read_results(job, cell, step_outputs(facts.results));
  if (!result.failure.empty()) {
    Judgement judgement = failed(result.outcome, result.failure + last_complaint(facts.console));
    judgement.notes = std::move(result.notes);
    return judgement;
  }
  Judgement judgement{Outcome::Ok, {}, std::move(result.samples), std::move(result.notes)};
  for (auto& note : log_notes(facts.results)) judgement.notes.push_back(std::move(note));
  return judgement;
}

}  // namespace rig
