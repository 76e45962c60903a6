// SPDX-License-Identifier: GPL-2.0-or-later
// Both ends of a wire in one guest: what is asked of it, and what of its words counts. Frames are in the form
// that Linux 2.6.22 gave on such a guest.
#include "rig/run/modelled_wire.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "../topology/machines.h"
#include "rig/base/error.h"
#include "rig/plan/wire.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

Topology machine() {
  Topology t;
  t.name = "two";
  t.cores = 2;
  t.mhz = 3300;
  t.nodes = {{{0, 1, 2}, 1u << 30}};
  t.peer = PeerPackage{};
  t.timing = Timing{};
  t.timing->values["wire.delay"] = {.value = 100, .unit = TimingUnit::Nanoseconds, .low = 100, .high = 100};
  return t;
}

JobSpec job() {
  JobSpec job;
  job.name = "udp-pingpong-wire";
  job.parser = "pinger";
  job.over_wire = true;
  job.placements = {Relation::SameCpu, Relation::SamePackage};
  job.metrics = {{"mean", "us", Better::Lower, ""}};
  job.steps = {{.name = "pinger", .argv = {"rig-pinger", "udp-pingpong", "{process_cpu}"}},
               {.name = "echo", .argv = {"rig-pinger", "udp-echo", "--port", "7001"}}};
  job.steps[1].in_peer = true;
  return job;
}

Cell cell() {
  Cell c;
  c.id = "0123456789ab";
  c.kernel = "linux-2.6.22";
  c.topology = "two";
  c.job = "udp-pingpong-wire";
  c.placement = Relation::SamePackage;
  c.cpus = {0, 1};
  c.peer = Peer{{}, "linux-2.6.22", "two", 0, 1};
  return c;
}

std::string interrupts(int near, int near_strays, int far) {
  const auto n = [](int value) { return std::to_string(value); };
  return "           CPU0       CPU1       CPU2       \n  0:        100          0          0   IO-APIC-edge      "
         "timer\n 22:  " +
         n(near) + "  " + n(near_strays) + "  0   IO-APIC-fasteoi   eth0\n 23:  0  0  " + n(far) +
         "   IO-APIC-fasteoi   eth1\nNMI:          0          0          0\n";
}
// packets by CPU, in hex
std::string softnet(int near, int far) {
  char text[200];
  std::snprintf(text, sizeof text, "%08x 00000000 00000000\n00000000 00000000 00000000\n%08x 00000000 00000000\n",
                static_cast<unsigned>(near), static_cast<unsigned>(far));
  return text;
}

AttemptFacts facts(int strays = 0, int lost = 0) {
  AttemptFacts f;
  f.session.end = DomainEnd::PowerOff;
  f.results_begun = f.results.complete = true;
  const std::string irqs =
      "irq 22 interface=eth0 target=0 affinity=1 effective=?\nirq 23 interface=eth1 target=2 affinity=4 effective=?\n";
  f.results.frames = {
      {"view",
       "release 2.6.22\nlapic ok\ncpu 0 package=0 die=0 cluster=? core=0 node=0 siblings=0\n"
       "cpu 1 package=0 die=0 cluster=? core=1 node=0 siblings=1\ncpu 2 package=1 die=0 cluster=? core=2 node=0 "
       "siblings=2\n"},
      {"interrupts/pinger/before", interrupts(5, 1, 7)},
      {"interrupts/pinger/after", interrupts(1005, 1 + strays, 1007)},
      {"softnet/pinger/before", softnet(5, 7)},
      {"softnet/pinger/after", softnet(1005, 1007)},
      {"irqs/pinger/before", irqs},
      {"irqs/pinger/after", irqs},
      {"out/pinger/0",
       "rig-pinger 1 mode=udp-pingpong pairs=1 bytes=40 warmup=20 count=1000 seconds=0 client_cpu=1 server_cpu=any "
       "to=peer\n"
       "pair=0 n=" +
           std::to_string(1000 - lost) +
           " elapsed_ns=1000000 mean_ns=82940.0 median_ns=82000.0 min_ns=80000 "
           "p99_ns=90000.0 max_ns=95000 rate_per_s=12000.0 lost=" +
           std::to_string(lost) +
           " client_mask=2 server_mask=0 client_cpus=2 server_cpus=0 percentiles=exact\nhist pair=0 80000:1000\n"
           "sum pairs=1 rate_per_s=12000.0 mean_ns=82940.0\ndone\n"},
      {"err/pinger/0", ""},
      {"status/pinger/0", "exit 0 ms=100 cpus=2"},
      {"out/echo/0",
       "rig-pinger 1 mode=udp-echo bytes=40 port=7001 server_cpu=2\necho n=1021 server_mask=4 server_cpus=4\ndone\n"},
      {"err/echo/0", ""},
      {"status/echo/0", "exit 0 ms=100 cpus=4"}};
  return f;
}

Judgement judged(const AttemptFacts& f) {
  return judge_modelled_wire(f, machine(), job(), modelled_wire_cell(cell(), machine()));
}

double sample(const Judgement& judgement, const std::string& metric, int instance) {
  for (const auto& s : judgement.samples) {
    if (s.metric == metric && s.instance == instance) return s.value;
  }
  throw std::logic_error(metric);
}

}  // namespace

TEST_CASE("The far end's interrupts and echo are on the reserved CPU, whatever the placement") {
  const Cell placed = modelled_wire_cell(cell(), machine());
  CHECK(placed.cpus == std::pair(0, 1));
  CHECK(placed.peer->interrupt_cpu == 2);
  CHECK(placed.peer->process_cpu == 2);
}

TEST_CASE("The echo is a background step on the far card, with the wire's delay in cycles, and comes first") {
  const auto script =
      modelled_wire_script(job(), modelled_wire_cell(cell(), machine()), machine(), "serial:/dev/ttyS1");
  REQUIRE(script.steps.size() == 2);
  CHECK(script.steps[0].name == "echo");
  CHECK(script.steps[0].background);
  // 100 ns at 3300 MHz
  CHECK(script.steps[0].argv == std::vector<std::string>{"rig-pinger", "udp-echo", "--port", "7001", "--on", far_card,
                                                         "--delay-cycles", "330"});
  CHECK(script.steps[1].argv == std::vector<std::string>{"rig-pinger", "udp-pingpong", "1"});
  REQUIRE(script.interfaces.size() == 2);
  CHECK(script.interfaces[0].interrupt_cpu == 0);
  CHECK(script.interfaces[1].interrupt_cpu == 2);
  CHECK(script.interfaces[1].mac == far_card);
  CHECK(script.interfaces[1].address.empty());
  CHECK(script.interfaces[0].neighbour_mac != script.interfaces[1].mac);
}

TEST_CASE("What cannot be in one guest is refused with what to do") {
  Topology whole = machine();
  whole.peer.reset();
  CHECK_THROWS_MATCHES(modelled_wire_cell(cell(), whole), InputError,
                       MessageMatches(ContainsSubstring("topology two has no package for a wire's far end")));
  Cell other = cell();
  other.peer->kernel = "linux-3.17";
  CHECK_THROWS_MATCHES(modelled_wire_cell(other, machine()), InputError,
                       MessageMatches(ContainsSubstring("both ends are in one guest")));
  Cell unbound = cell();
  unbound.peer->process_cpu.reset();
  CHECK_THROWS_MATCHES(modelled_wire_cell(unbound, machine()), InputError,
                       MessageMatches(ContainsSubstring("cannot be left unbound") && ContainsSubstring("bind: both")));
  JobSpec foreign = job();
  foreign.steps[1].argv = {"netserver"};
  CHECK_THROWS_MATCHES(
      modelled_wire_script(foreign, modelled_wire_cell(cell(), machine()), machine(), "serial:/dev/ttyS1"), InputError,
      MessageMatches(ContainsSubstring("only `rig-pinger udp-echo` can run, not netserver")));
}

TEST_CASE("A round trip counts where both cards' interrupts were on target, each by itself") {
  const Judgement judgement = judged(facts());
  INFO(judgement.reason);
  REQUIRE(judgement.outcome == Outcome::Ok);
  CHECK(sample(judgement, "mean", 0) == 82.94);
  for (const int end : {1, 2}) {
    CHECK(sample(judgement, "wire.interrupts", end) == 100);
    CHECK(sample(judgement, "wire.received", end) == 100);
    CHECK(sample(judgement, "wire.interrupt-count", end) == 1000);
  }
  CHECK(sample(judgement, "wire.delay", 0) == 330);
}

TEST_CASE("Strayed interrupts and lost packets are failures, told apart") {
  const Judgement strayed = judged(facts(50));
  CHECK(strayed.outcome == Outcome::PlacementMismatch);
  CHECK_THAT(strayed.reason, ContainsSubstring("1000 of 1050 interrupts were on CPU 0"));
  const Judgement lost = judged(facts(0, 1));
  CHECK(lost.outcome == Outcome::BenchmarkFailed);
  CHECK(lost.reason == "1 round trips were lost on the wire");
  CHECK(lost.samples.empty());
}
