// SPDX-License-Identifier: GPL-2.0-or-later
// Counts of real guests: Linux 6.1 with virtio-net, Linux 2.6.22 with an e1000, both bound to CPU 0.
#include "rig/run/wire_proof.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "wire_fixture.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("On Linux 6.1 the card's vectors and NET_RX are counted, and all were on target") {
  const auto proof = prove_wire(wire_frames("linux-6.1-virtio-net", "echo"), "echo", 0);
  REQUIRE(proof);
  CHECK(proof->fault.empty());
  CHECK(proof->interrupts.total > 100);
  CHECK(proof->interrupts.on_target == proof->interrupts.total);
  CHECK(proof->received.total > 100);
  CHECK(proof->received.share() == 1.0);
}

TEST_CASE("Linux 2.6.22 has no soft interrupts to read: softnet_stat's packets serve") {
  const auto proof = prove_wire(wire_frames("linux-2.6.22-e1000", "echo"), "echo", 0);
  REQUIRE(proof);
  CHECK(proof->fault.empty());
  CHECK(proof->interrupts.total == 105 - 4);  // of eth0, in /proc/interrupts
  CHECK(proof->received.total == 0x312);      // of the first line of softnet_stat
  CHECK(proof->received.on_target == 0x312);
}

TEST_CASE("While an interrupt settles, the first still goes where it went before") {
  const auto settling = prove_wire(wire_frames("linux-6.1-settling", "settle"), "settle", 0);
  REQUIRE(settling);
  CHECK(settling->interrupts.on_target < settling->interrupts.total);
  CHECK_THAT(settling->fault, ContainsSubstring("interrupts were on CPU 0"));
}

TEST_CASE("Interrupts that were elsewhere reject the sample, and so does an effective CPU that is another") {
  const auto elsewhere = prove_wire(wire_frames("linux-2.6.22-e1000", "echo"), "echo", 3);
  REQUIRE(elsewhere);
  CHECK_THAT(elsewhere->fault, ContainsSubstring("interrupt 20 was bound to CPU 3") && ContainsSubstring("mask 1"));

  auto moved = wire_frames("linux-6.1-virtio-net", "echo");
  frame(moved, "irqs/echo/after") =
      replaced(frame(moved, "irqs/echo/after"), "irq 27 interface=eth0 target=0 affinity=1 effective=1",
               "irq 27 interface=eth0 target=0 affinity=1 effective=10");
  CHECK_THAT(prove_wire(moved, "echo", 0)->fault, ContainsSubstring("interrupt 27") && ContainsSubstring("mask 10"));
}

TEST_CASE("Receive work on another CPU rejects the sample even where all interrupts were on target") {
  auto stream = wire_frames("linux-2.6.22-e1000", "echo");
  std::string& softnet = frame(stream, "softnet/echo/after");
  const auto second = softnet.find('\n') + 1;
  softnet.replace(second, 8, "0000000a");  // 10 of 796 packets, on CPU 1
  const auto proof = prove_wire(stream, "echo", 0);
  REQUIRE(proof);
  CHECK(proof->interrupts.holds());
  CHECK(proof->received.total == 0x312 + 10);
  CHECK_THAT(proof->fault, ContainsSubstring("received packet"));
}

TEST_CASE("A wire on which nothing came proves nothing") {
  auto stream = wire_frames("linux-2.6.22-e1000", "echo");
  frame(stream, "interrupts/echo/after") = frame(stream, "interrupts/echo/before");
  CHECK_THAT(prove_wire(stream, "echo", 0)->fault, ContainsSubstring("not one interrupt"));
}

TEST_CASE("Missing or damaged counts are no proof at all") {
  CHECK_FALSE(prove_wire(wire_frames("linux-6.1-virtio-net", "echo"), "pinger", 0));
  auto stream = wire_frames("linux-2.6.22-e1000", "echo");
  frame(stream, "softnet/echo/after") = "no such file\n";
  CHECK_FALSE(prove_wire(stream, "echo", 0));
  stream = wire_frames("linux-2.6.22-e1000", "echo");
  frame(stream, "interrupts/echo/before") = "";
  CHECK_FALSE(prove_wire(stream, "echo", 0));
}

TEST_CASE("A process on another CPU than the interrupt's is woken by a call a round trip, which the kernel counts") {
  const auto stream = wire_frames("linux-6.1-virtio-net", "echo");
  CHECK(calls_to(stream, "echo", 2) == 203 - 76 + 5 - 4);  // CAL and RES of /proc/interrupts, the process on CPU 2
  CHECK(calls_to(stream, "echo", 7) == 0);
  CHECK_FALSE(calls_to(stream, "pinger", 2));
  CHECK_FALSE(calls_to(wire_frames("linux-2.6.22-e1000", "echo"), "echo", 1));  // counts neither
}
