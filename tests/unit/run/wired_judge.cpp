// SPDX-License-Identifier: GPL-2.0-or-later
// A cell of two guests fails by the one whose failure came first, and a peer's failure has its own name.
#include "rig/run/wired_judge.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "wire_fixture.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const Judgement good{Outcome::Ok, "", {{"mean", "us", 82.94, 0}}, {"a note"}};

Topology eight_cpus() {
  Topology t;
  t.name = "eight";
  t.nodes = {{{}, 1u << 28}};
  t.sockets = 8;
  for (int cpu = 0; cpu < 8; ++cpu) t.nodes[0].cpus.push_back(cpu);
  return t;
}

std::string view_of_eight() {
  std::string view = "release 2.6.22\nlapic ok\n";
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string n = std::to_string(cpu);
    view += "cpu " + n + " package=" + n + " die=0 cluster=? core=0 node=0 siblings=" + n + "\n";
  }
  return view;
}

JobSpec wire_job() {
  JobSpec job;
  job.name = "wire";
  job.parser = "pinger";
  job.over_wire = true;
  job.parameters = {{.name = "count", .min = 1, .max = 100000, .default_value = "1000"}};
  job.placements = {Relation::SameL2};
  job.metrics = {{"mean", "us", Better::Lower, ""}};
  job.steps = {{.name = "pinger", .argv = {"rig-pinger"}}, {.name = "echo", .argv = {"rig-pinger"}, .in_peer = true}};
  return job;
}

Cell wire_cell() {
  Cell cell;
  cell.job = "wire";
  cell.parameters = {{"count", "1000"}};
  cell.placement = Relation::SameL2;
  cell.cpus = {0, 1};
  cell.peer = Peer{{}, "k", "eight", 0, 1};
  return cell;
}

// The real counts of Linux 2.6.22, and what the pinger said in them.
AttemptFacts facts_of(const std::string& step, const std::string& out) {
  AttemptFacts facts;
  facts.session.end = DomainEnd::PowerOff;
  facts.results_begun = true;
  facts.results = wire_frames("linux-2.6.22-e1000", step);
  facts.results.frames.insert(facts.results.frames.begin(), {"view", view_of_eight()});
  facts.results.frames.push_back({"out/" + step + "/0", out});
  facts.results.frames.push_back({"err/" + step + "/0", ""});
  facts.results.frames.push_back({"status/" + step + "/0", "exit 0 ms=9 cpus=2"});
  return facts;
}

std::string client_output(int lost, const char* mask = "2") {
  const std::string n = std::to_string(1000 - lost);
  return "rig-pinger 1 mode=udp-pingpong pairs=1 bytes=40 warmup=20 count=1000 seconds=0 client_cpu=1 server_cpu=any "
         "to=peer\npair=0 n=" +
         n +
         " elapsed_ns=82940000 mean_ns=82940 median_ns=82900 min_ns=81000 p99_ns=90000 max_ns=120500 "
         "rate_per_s=12056.9 lost=" +
         std::to_string(lost) + " client_mask=" + mask +
         " server_mask=0 client_cpus=2 server_cpus=0\nsum pairs=1 rate_per_s=12056.9 mean_ns=82940\ndone\n";
}

std::string echo_output(const char* seen) {
  return std::string(
             "rig-pinger 1 mode=udp-echo bytes=40 port=7001 server_cpu=1\necho n=1022 server_mask=2 server_cpus=") +
         seen + "\ndone\n";
}

double value(const Judgement& judgement, const std::string& metric, int instance) {
  for (const auto& sample : judgement.samples) {
    if (sample.metric == metric && sample.instance == instance) return sample.value;
  }
  return -1;
}

}  // namespace

TEST_CASE("Both guests ended well: the guest's samples and the wire's of both") {
  const auto guest =
      judge_end(facts_of("pinger", client_output(0)), eight_cpus(), wire_job(), wire_cell(), WireEnd::Guest);
  const auto peer = judge_end(facts_of("echo", echo_output("2")), eight_cpus(), wire_job(), wire_cell(), WireEnd::Peer);
  INFO(guest.reason << " / " << peer.reason);
  const auto both = judge_wired(guest, peer, std::nullopt);
  REQUIRE(both.outcome == Outcome::Ok);
  CHECK(value(both, "mean", 0) == 82.94);
  for (const int end : {1, 2}) {
    CHECK(value(both, "wire.interrupts", end) == 100);
    CHECK(value(both, "wire.received", end) == 100);
    CHECK(value(both, "wire.interrupt-count", end) == 101);
  }
  CHECK(value(both, "wire.lost", 0) == 0);
}

TEST_CASE("The client's place and the echo's are each proved in their own guest") {
  const auto guest =
      judge_end(facts_of("pinger", client_output(0, "f")), eight_cpus(), wire_job(), wire_cell(), WireEnd::Guest);
  CHECK(guest.outcome == Outcome::PlacementMismatch);
  CHECK_THAT(guest.reason, ContainsSubstring("the client was to be on CPU 1 alone"));
  const auto peer = judge_end(facts_of("echo", echo_output("3")), eight_cpus(), wire_job(), wire_cell(), WireEnd::Peer);
  CHECK(peer.outcome == Outcome::PlacementMismatch);
  CHECK_THAT(peer.reason, ContainsSubstring("the server was to be on CPU 1 alone"));
  Cell local = wire_cell();
  local.peer->process_cpu.reset();
  CHECK(judge_end(facts_of("echo", echo_output("3")), eight_cpus(), wire_job(), local, WireEnd::Peer).outcome ==
        Outcome::Ok);
}

TEST_CASE("Interrupts off target reject the sample of either guest") {
  Cell cell = wire_cell();
  cell.cpus = {4, 1};
  cell.peer->interrupt_cpu = 4;
  const auto guest = judge_end(facts_of("pinger", client_output(0)), eight_cpus(), wire_job(), cell, WireEnd::Guest);
  const auto peer = judge_end(facts_of("echo", echo_output("2")), eight_cpus(), wire_job(), cell, WireEnd::Peer);
  CHECK(guest.outcome == Outcome::PlacementMismatch);
  CHECK(guest.samples.empty());
  CHECK(judge_wired(good, peer, WireEnd::Peer).outcome == Outcome::PlacementMismatch);
  CHECK_THAT(judge_wired(good, peer, WireEnd::Peer).reason, ContainsSubstring("the peer: the wire's interrupts"));
}

TEST_CASE("Calls from other CPUs, one a round trip, belie a process on the interrupt's own CPU") {
  Cell same = wire_cell();
  same.placement = Relation::SameCpu;
  same.cpus = {0, 0};
  same.peer->process_cpu = 0;
  const auto judged = [&](int calls, const Cell& cell) {
    auto facts = facts_of("echo", echo_output(cell.peer->process_cpu == 0 ? "1" : "2"));
    std::string& out = frame(facts.results, "out/echo/0");
    if (cell.peer->process_cpu == 0)
      out =
          "rig-pinger 1 mode=udp-echo bytes=40 port=7001 server_cpu=0\necho n=1022 server_mask=1 server_cpus=1\ndone\n";
    frame(facts.results, "interrupts/echo/before") += "CAL: 7 7 0 0 0 0 0 0 Function call interrupts\n";
    frame(facts.results, "interrupts/echo/after") += "CAL: " + std::to_string(7 + calls) + " " +
                                                     std::to_string(7 + calls) +
                                                     " 0 0 0 0 0 0 Function call interrupts\n";
    return judge_end(facts, eight_cpus(), wire_job(), cell, WireEnd::Peer);
  };
  const auto quiet = judged(12, same);
  INFO(quiet.reason);
  CHECK(quiet.outcome == Outcome::Ok);
  CHECK(value(quiet, "wire.calls", 2) == 0.012);
  const auto called = judged(1003, same);
  CHECK(called.outcome == Outcome::PlacementMismatch);
  CHECK_THAT(called.reason, ContainsSubstring("called that CPU 1003 times in 1000 round trips"));
  const auto elsewhere = judged(1003, wire_cell());
  CHECK(elsewhere.outcome == Outcome::Ok);
  CHECK(value(elsewhere, "wire.calls", 2) == 1.003);
}

TEST_CASE("Lost round trips are told, and beyond one in a hundred the figure does not count") {
  const auto few =
      judge_end(facts_of("pinger", client_output(10)), eight_cpus(), wire_job(), wire_cell(), WireEnd::Guest);
  CHECK(few.outcome == Outcome::Ok);
  CHECK(value(few, "wire.lost", 0) == 10);
  const auto many =
      judge_end(facts_of("pinger", client_output(11)), eight_cpus(), wire_job(), wire_cell(), WireEnd::Guest);
  CHECK(many.outcome == Outcome::BenchmarkFailed);
  CHECK_THAT(many.reason, ContainsSubstring("11 of 1000 round trips were lost"));
}

TEST_CASE("A peer's failure is the cell's, under a name of its own") {
  const auto [failed, expected] =
      GENERATE(table<Outcome, std::string>({{Outcome::Panic, "peer-panic"},
                                            {Outcome::BootFailed, "peer-boot-failed"},
                                            {Outcome::Hang, "peer-hang"},
                                            {Outcome::Timeout, "peer-timeout"},
                                            {Outcome::BenchmarkFailed, "peer-failed"},
                                            {Outcome::TopologyMismatch, "peer-topology-mismatch"},
                                            {Outcome::Truncated, "peer-truncated"},
                                            {Outcome::Infrastructure, "infrastructure"}}));
  const Judgement interrupted{Outcome::BootFailed, "ended for the peer's sake", {}, {}};
  const auto cell = judge_wired(interrupted, {failed, "why", {}, {}}, WireEnd::Peer);
  CHECK(to_string(cell.outcome) == expected);
  CHECK(parse_outcome(expected) == cell.outcome);
  CHECK(cell.reason == "the peer: why");
  CHECK(cell.samples.empty());
}

TEST_CASE("Where the guest failed first, its reason is the cell's whatever became of the peer") {
  const auto cell =
      judge_wired({Outcome::Panic, "guest died", {}, {}}, {Outcome::BootFailed, "ended", {}, {}}, WireEnd::Guest);
  CHECK(cell.outcome == Outcome::Panic);
  CHECK(cell.reason == "guest died");
}
