// SPDX-License-Identifier: GPL-2.0-or-later
// Every kind of end that a session can have, told apart from its raw facts.
#include "rig/run/judge.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace rig;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

Topology one_cpu() {
  Topology t;
  t.name = "one";
  t.caches = {{.level = 1, .type = CacheType::Data, .size = 32 << 10, .ways = 8}};
  t.nodes = {{{0}, 1u << 28}};
  return t;
}

const std::string view =
    "release 6.1.192\nconfig-sha256 abcdefabcdefabcdef\nlapic ok\n"
    "cpu 0 package=0 die=0 cluster=? core=0 node=0 siblings=0\n"
    "cache cpu=0 level=1 type=Data size-kb=32 line=64 ways=8 shared=0\n";

JobSpec pingpong() {
  JobSpec job;
  job.name = "udp-pingpong";
  job.parser = "pinger";
  job.parameters = {{.name = "count", .min = 1, .max = 100000, .default_value = "10"}};
  job.metrics = {{"mean", "us", Better::Lower, ""}};
  job.steps = {{.name = "pinger", .argv = {"rig-pinger", "udp-pingpong"}}};
  return job;
}

Cell cell() {
  Cell c;
  c.id = "0123456789ab";
  c.job = "udp-pingpong";
  c.parameters = {{"count", "10"}};
  return c;
}

// A session in which all went well; the pinger's lines as PROTOCOL.md gives them.
AttemptFacts good() {
  AttemptFacts facts;
  facts.session.end = DomainEnd::PowerOff;
  facts.results_begun = true;
  facts.results.complete = true;
  facts.results.frames = {
      {"view", view},
      {"out/pinger/0",
       "rig-pinger 1 mode=udp-pingpong pairs=1 bytes=40 warmup=20 count=10 seconds=0 client_cpu=-1 server_cpu=-1\n"
       "pair=0 n=10 elapsed_ns=100000 mean_ns=10000 median_ns=9000 min_ns=8000 p99_ns=12000 max_ns=12500 "
       "rate_per_s=100000.0 lost=0 client_mask=1 server_mask=1 client_cpus=1 server_cpus=1\n"
       "hist pair=0 8000:10\nsum pairs=1 rate_per_s=100000.0 mean_ns=10000\ndone\n"},
      {"err/pinger/0", ""},
      {"status/pinger/0", "exit 0 ms=1 cpus=1"}};
  facts.expected_release = "6.1.192";
  facts.expected_config_sha256 = "abcdefabcdefabcdef";
  facts.console = "[    0.000000] Linux version 6.1.192\n";
  return facts;
}

AttemptFacts without_trailer() {
  AttemptFacts facts = good();
  facts.results = {};
  facts.results.fault = "the trailer is missing";
  return facts;
}

Judgement judged(const AttemptFacts& facts) { return judge(facts, one_cpu(), pingpong(), cell()); }

std::string& frame(AttemptFacts& facts, const std::string& name) {
  for (auto& f : facts.results.frames) {
    if (f.name == name) return f.payload;
  }
  throw std::logic_error(name);
}

}  // namespace

TEST_CASE("A pin that did not hold fails the attempt, however well the job went") {
  AttemptFacts facts = good();
  facts.session.pins = PinsSeen{.mismatch = "vCPU 1: wanted on CPU 1, may run on CPUs 0-1", .looks = 5};
  const Judgement judgement = judge(facts, one_cpu(), pingpong(), cell());
  CHECK(judgement.outcome == Outcome::PlacementMismatch);
  CHECK(judgement.reason == "vCPU 1: wanted on CPU 1, may run on CPUs 0-1");
  CHECK(judgement.samples.empty());

  AttemptFacts ended = without_trailer();  // rig ended the guest for it: that is no failure of the machinery
  ended.session.end = DomainEnd::Killed;
  ended.session.pins = facts.session.pins;
  CHECK(judge(ended, one_cpu(), pingpong(), cell()).outcome == Outcome::PlacementMismatch);
}

TEST_CASE("Pins that nobody looked at give no sample; pins that held change nothing") {
  AttemptFacts facts = good();
  facts.session.pins = PinsSeen{};
  CHECK(judge(facts, one_cpu(), pingpong(), cell()).outcome == Outcome::Infrastructure);
  facts.session.pins->looks = 2;
  CHECK(judge(facts, one_cpu(), pingpong(), cell()).outcome == Outcome::Ok);
}

TEST_CASE("A whole stream of the machine and kernel asked for gives its samples") {
  const auto result = judged(good());
  CHECK(result.outcome == Outcome::Ok);
  CHECK(result.reason.empty());
  REQUIRE(result.samples.size() == 1);
  CHECK(result.samples[0] == Sample{"mean", "us", 10.0, 0});
}

TEST_CASE("A panic is told by the kernel's own sentence, whatever else happened") {
  auto facts = without_trailer();
  facts.console += "[    1.0] Kernel panic - not syncing: Attempted to kill init!\n[    1.1] ---[ end\n";
  CHECK(judged(facts).outcome == Outcome::Panic);
  CHECK(judged(facts).reason == "[    1.0] Kernel panic - not syncing: Attempted to kill init!");
  facts.session.wall_limit = true;
  CHECK(judged(facts).outcome == Outcome::Panic);
}

TEST_CASE("A guest that says nothing and is stopped did not boot; one that had begun hung or ran out of time") {
  auto facts = without_trailer();
  facts.session.end = DomainEnd::Killed;
  facts.session.wall_limit = true;
  CHECK(judged(facts).outcome == Outcome::Timeout);
  facts.results_begun = false;
  CHECK(judged(facts).outcome == Outcome::BootFailed);
  CHECK_THAT(judged(facts).reason, ContainsSubstring("Linux version 6.1.192"));
  facts.session.wall_limit = false;
  facts.session.silent = true;
  CHECK(judged(facts).outcome == Outcome::BootFailed);
  facts.results_begun = true;
  CHECK(judged(facts).outcome == Outcome::Hang);
}

TEST_CASE("QEMU's own death is infrastructure, with libvirt's words") {
  auto facts = without_trailer();
  facts.session.end = DomainEnd::Failed;
  facts.session.detail = "internal error: qemu unexpectedly closed the monitor";
  CHECK(judged(facts).outcome == Outcome::Infrastructure);
  CHECK(judged(facts).reason == facts.session.detail);
}

TEST_CASE("A power-off without an intact trailer is truncated, without a word a failed boot") {
  auto facts = without_trailer();
  CHECK(judged(facts).outcome == Outcome::Truncated);
  CHECK(judged(facts).reason == "the trailer is missing");
  facts.results_begun = false;
  CHECK(judged(facts).outcome == Outcome::BootFailed);
}

TEST_CASE("Another kernel's figures never count") {
  auto facts = good();
  facts.expected_release = "6.1.193";
  CHECK(judged(facts).outcome == Outcome::BootFailed);
  CHECK(judged(facts).reason == "another kernel answered: asked 6.1.193, seen 6.1.192");
  facts = good();
  facts.expected_config_sha256 = "0123456789abcdef";
  CHECK_THAT(judged(facts).reason, StartsWith("a kernel of another configuration answered"));
}

TEST_CASE("A guest of another shape is a topology mismatch that says what was asked and seen") {
  auto facts = good();
  frame(facts, "view") += "cpu 1 package=0 die=0 cluster=? core=1 node=0 siblings=1\n";
  CHECK(judged(facts).outcome == Outcome::TopologyMismatch);
  CHECK(judged(facts).reason == "CPUs online: asked 1, seen 2");
}

TEST_CASE("A kernel that takes its time from a device is booted again, where the TSC is expected") {
  auto facts = good();
  frame(facts, "view") += "clocksource hpet\n";
  CHECK(judged(facts).outcome == Outcome::Ok);
  facts.expected_clock = "tsc";
  CHECK(judged(facts).outcome == Outcome::Infrastructure);
  CHECK(judged(facts).reason == "the kernel's clock is not the tsc but hpet");
  facts = good();
  facts.expected_clock = "tsc";
  CHECK(judged(facts).reason == "the kernel's clock is not the tsc but not known");
  frame(facts, "view") += "clocksource tsc-early\n";
  CHECK(judged(facts).outcome == Outcome::Ok);
}

TEST_CASE("A kernel without its APIC timer is booted again") {
  auto facts = good();
  auto& text = frame(facts, "view");
  text.replace(text.find("lapic ok"), 8, "lapic disabled: APIC timer disabled due to verification failure");
  CHECK(judged(facts).outcome == Outcome::Infrastructure);
}

TEST_CASE("A benchmark that failed is told with its reason, and gives no sample") {
  auto facts = good();
  frame(facts, "status/pinger/0") = "exit 1 ms=5 cpus=1";
  frame(facts, "err/pinger/0") = "rig-pinger: no answer within 1000 ms\n";
  const auto result = judged(facts);
  CHECK(result.outcome == Outcome::BenchmarkFailed);
  CHECK_THAT(result.reason, ContainsSubstring("no answer within 1000 ms"));
  CHECK(result.samples.empty());
}

TEST_CASE("The agent's own error is the reason") {
  auto facts = good();
  facts.results.frames.push_back({"error", "unknown word stp in line 4 of the script"});
  CHECK(judged(facts).outcome == Outcome::BenchmarkFailed);
  CHECK(judged(facts).reason == "the agent: unknown word stp in line 4 of the script");
}

TEST_CASE("Warnings of the kernel's log stand beside the figures") {
  auto facts = good();
  frame(facts, "view") += "warning WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:1\n";
  const auto result = judged(facts);
  CHECK(result.outcome == Outcome::Ok);
  CHECK(result.notes == std::vector<std::string>{"the kernel's log: WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:1"});
}

TEST_CASE("A kernel that oopsed and went on gives no figures; a mere warning leaves them") {
  // as 6.1 printed them when lkdtm made it follow a null pointer
  for (const std::string line : {"warning BUG: kernel NULL pointer dereference, address: 0000000000000000\n",
                                 "warning Oops: 0002 [#1] PREEMPT SMP\n", "warning kernel BUG at mm/slub.c:435!\n"}) {
    auto facts = good();
    facts.results.frames.push_back({"klog-warnings", line});
    CHECK(judged(facts).outcome == Outcome::Panic);
    CHECK_THAT(judged(facts).reason, StartsWith("the kernel oopsed and went on: "));
    CHECK(judged(facts).samples.empty());
  }
  auto facts = good();
  facts.results.frames.push_back({"klog-warnings", "warning WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:1\n"});
  CHECK(judged(facts).outcome == Outcome::Ok);
}

TEST_CASE("A guest that stands still or kills for want of memory is told with its kernel's complaint") {
  auto facts = without_trailer();
  facts.session.end = DomainEnd::Killed;
  facts.session.silent = true;
  facts.console += "[   30.1] watchdog: BUG: soft lockup - CPU#0 stuck for 4s! [sh:63]\n[   30.2] Modules linked in:\n";
  CHECK(judged(facts).outcome == Outcome::Hang);
  CHECK_THAT(judged(facts).reason, ContainsSubstring("says: [   30.1] watchdog: BUG: soft lockup - CPU#0 stuck"));
  facts.session.silent = false;
  facts.session.wall_limit = true;
  CHECK(judged(facts).outcome == Outcome::Timeout);
  CHECK_THAT(judged(facts).reason, ContainsSubstring("says: [   30.1] watchdog: BUG: soft lockup - CPU#0 stuck"));
  facts = good();
  frame(facts, "status/pinger/0") = "signal 9 ms=5 cpus=1";
  facts.console += "[    3.1] Out of memory: Killed process 63 (rig-pinger) total-vm:400kB\n";
  CHECK(judged(facts).outcome == Outcome::BenchmarkFailed);
  CHECK_THAT(judged(facts).reason, ContainsSubstring("Out of memory: Killed process 63 (rig-pinger)"));
}

TEST_CASE("A guest that writes without end is told so, and a QEMU that was stopped is no fault of the guest's") {
  auto facts = without_trailer();
  facts.session.end = DomainEnd::Killed;
  facts.session.flooded = true;
  facts.session.detail = "the guest wrote more than 64 MiB to its console and was ended";
  CHECK(judged(facts).outcome == Outcome::Hang);
  CHECK(judged(facts).reason == facts.session.detail);
  facts.results_begun = false;
  CHECK(judged(facts).outcome == Outcome::BootFailed);
  facts = without_trailer();
  facts.results_begun = false;
  facts.session.end = DomainEnd::Failed;
  facts.session.detail = "QEMU 17 was stopped from outside (SIGSTOP, or a debugger)";
  CHECK(judged(facts).outcome == Outcome::Infrastructure);
  CHECK(judged(facts).reason == facts.session.detail);
}

TEST_CASE("An interrupted attempt is nothing else, whatever it had shown") {
  auto facts = good();
  facts.interrupted = true;
  CHECK(judged(facts).outcome == Outcome::Interrupted);
}

TEST_CASE("The last words of a console are free of control characters and bounded") {
  CHECK(last_words("") == "(its console is empty)");
  CHECK(last_words("a\n\x1b[2Jb\r\n\n") == "[2Jb");
  CHECK(last_words(std::string(100000, 'x')).size() == 200);
}
