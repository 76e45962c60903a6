// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>
#include <utility>

#include "rig/guest/script.h"

namespace {

struct Parsed {
  bool good = false;
  std::string error;
  struct script script = {};
  explicit Parsed(const std::string& text) {
    struct text fault = {};
    good = script_parse(&script, text.data(), text.size(), &fault);
    error = text_string(&fault);
    text_free(&fault);
  }
  ~Parsed() { script_free(&script); }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;
};

const std::string head = "rig-script 1\nresults serial:/dev/ttyS1\n";

}  // namespace

TEST_CASE("the protocol's own example is read") {
  const Parsed p(
      "rig-script 1\n"
      "results serial:/dev/ttyS1\n"
      "heartbeat 1000\n"
      "perturb 17 4200\n"
      "sysctl net.ipv4.tcp_rmem 4096 87380 6291456\n"
      "step server\n"
      "  limit 60000\n"
      "  background\n"
      "  copies 4\n"
      "  cpu 2\n"
      "  wait-tcp 7003 5000\n"
      "  arg tbench_srv\n"
      "end\n");
  REQUIRE(p.error.empty());
  REQUIRE(p.good);
  CHECK(p.script.channel == CHANNEL_SERIAL);
  CHECK(p.script.channel_name == std::string("/dev/ttyS1"));
  CHECK(p.script.heartbeat_ms == 1000);
  CHECK(p.script.perturb_pages == 17);
  CHECK(p.script.perturb_us == 4200);
  REQUIRE(p.script.sysctl_count == 1);
  CHECK(p.script.sysctls[0].key == std::string("net.ipv4.tcp_rmem"));
  CHECK(p.script.sysctls[0].value == std::string("4096 87380 6291456"));
  REQUIRE(p.script.step_count == 1);
  const step& server = p.script.steps[0];
  CHECK(server.name == std::string("server"));
  CHECK(server.limit_ms == 60000);
  CHECK(server.background);
  CHECK(server.copies == 4);
  CHECK(server.cpu == 2);
  CHECK(server.wait_port == 7003);
  CHECK(server.wait_ms == 5000);
  REQUIRE(server.argc == 1);
  CHECK(server.argv[0] == std::string("tbench_srv"));
  CHECK(server.argv[1] == nullptr);
}

TEST_CASE("what a step leaves out has its default") {
  const Parsed p("rig-script 1\nresults virtio:rig.results\nstep a\narg x\nend\n");
  REQUIRE(p.good);
  CHECK(p.script.channel == CHANNEL_VIRTIO);
  CHECK(p.script.channel_name == std::string("rig.results"));
  CHECK(p.script.heartbeat_ms == 0);
  const step& a = p.script.steps[0];
  CHECK(a.limit_ms == 0);
  CHECK_FALSE(a.background);
  CHECK(a.copies == 1);
  CHECK(a.cpu == -1);
  CHECK(a.wait_port == 0);
}

TEST_CASE("a step may ask for the region of interest round it") {
  const Parsed p(head + "step a\nmodel\narg x\nend\nstep b\nmodel 500\narg x\nend\nstep c\nmodel 0 200\narg x\nend\n");
  REQUIRE(p.good);
  CHECK(p.script.steps[0].modelled);
  CHECK(p.script.steps[0].model_delay_ms == 0);
  CHECK(p.script.steps[1].model_delay_ms == 500);
  CHECK(p.script.steps[1].model_warm_ms == 0);
  CHECK(p.script.steps[2].model_delay_ms == 0);
  CHECK(p.script.steps[2].model_warm_ms == 200);
  CHECK_FALSE(Parsed(head + "step a\narg x\nend\n").script.steps[0].modelled);
}

TEST_CASE("an argument is taken literally to the end of its line") {
  const Parsed p(head + "step a\n  arg prog\n  arg  two spaces  \n  arg\n  arg \n  arg a # \"b\" $c\nend");
  REQUIRE(p.good);
  const step& a = p.script.steps[0];
  REQUIRE(a.argc == 5);
  CHECK(a.argv[1] == std::string(" two spaces  "));
  CHECK(a.argv[2] == std::string());
  CHECK(a.argv[3] == std::string());
  CHECK(a.argv[4] == std::string("a # \"b\" $c"));
}

TEST_CASE("a script without steps is good") {
  const Parsed p(head + "\n   \n");
  CHECK(p.good);
  CHECK(p.script.step_count == 0);
}

TEST_CASE("a fault is told with its line, what is wrong and what is allowed") {
  const auto [text, error] = GENERATE(
      std::pair{std::string(), "the script is empty"},
      std::pair{std::string("results x\n"), "line 1: a script begins with"},
      std::pair{std::string("rig-script 2\n"), "line 1: this agent reads rig-script 1, not '2'"},
      std::pair{std::string("rig-script 1\n"), "names no results channel"},
      std::pair{std::string("rig-script 1\nresults disk:a\n"),
                "line 2: results takes serial:/dev/NAME, virtio:NAME or port:0x2f8"},
      std::pair{std::string("rig-script 1\nresults serial:/dev/../x\n"), "line 2: results takes"},
      std::pair{head + "results virtio:x\n", "line 3: results is given twice"},
      std::pair{head + "heartbeat soon\n", "line 3: heartbeat takes a whole number from 0 to 3600000, not 'soon'"},
      std::pair{head + "heartbeat -1\n", "line 3: heartbeat takes"},
      std::pair{head + "sysctl a\n", "line 3: sysctl takes a name and a value"},
      std::pair{head + "sysctl ../x 1\n", "line 3: '../x 1' does not name a sysctl"},
      std::pair{head + "limit 5\n",
                "line 3: unknown word 'limit' outside a step; allowed: rig-script results heartbeat perturb sysctl "
                "hostname host interface step"},
      std::pair{head + "step a\nfrob\n", "line 4: unknown word 'frob' in a step; allowed: limit background copies cpu"},
      std::pair{head + "step a b\n", "line 3: step takes a name"},
      std::pair{head + "step a/b\n", "line 3: step takes a name"},
      std::pair{head + "step a\narg x\nend\nstep a\n", "line 6: two steps are named 'a'"},
      std::pair{head + "step a\nend\n", "line 4: step 'a' has no arg"},
      std::pair{head + "step a\narg\nend\n", "line 4: the first arg of step 'a' is its program"},
      std::pair{head + "step a\narg x\n", "step 'a' has no end"},
      std::pair{head + "step a\nlimit 0\n", "line 4: limit takes a whole number from 1"},
      std::pair{head + "step a\ncopies 257\n", "line 4: copies takes a whole number from 1 to 256, not '257'"},
      std::pair{head + "step a\ncpu 1024\n", "line 4: cpu takes a whole number from 0 to 1023"},
      std::pair{head + "step a\ncpu 1 \n", "line 4: cpu takes"},
      std::pair{head + "step a\ncopies 99999999999999999999\n", "line 4: copies takes"},
      std::pair{head + "step a\nwait-tcp 7003\n", "line 4: wait-tcp takes a port and milliseconds"},
      std::pair{head + "step a\nwait-tcp 70000 1\n", "line 4: wait-tcp takes a whole number from 1 to 65535"},
      std::pair{head + "step a\nmodel soon\n", "line 4: model takes a whole number from 0 to 3600000, not 'soon'"},
      std::pair{head + "step a\nmodel 5 \n", "line 4: model takes"},
      std::pair{head + "perturb 17\n", "line 3: perturb takes pages and microseconds, not '17'"},
      std::pair{head + "perturb 17 1s\n", "line 3: perturb takes a whole number from 0 to 1000000, not '1s'"},
      std::pair{head + "perturb 1 1\nperturb 1 1\n", "line 4: perturb is given twice"},
      std::pair{head + "step a\nmodel 1 2 3\n", "line 4: model takes a whole number from 0 to 3600000, not '2 3'"},
      std::pair{head + "step a\nbackground\nmodel\narg x\nend\n", "line 7: step 'a' has both background and model"},
      std::pair{head + "step a\nbackground yes\n", "line 4: background stands alone"},
      std::pair{head + std::string("step a\narg x\0y\n", 15), "NUL byte"});
  const Parsed p(text);
  CHECK_FALSE(p.good);
  INFO(p.error);
  CHECK(p.error.find(error) != std::string::npos);
}

TEST_CASE("the results channel is known even when the script is wrong further on") {
  const Parsed p(head + "nonsense\n");
  CHECK_FALSE(p.good);
  CHECK(p.script.channel == CHANNEL_SERIAL);
  CHECK(p.script.channel_name == std::string("/dev/ttyS1"));
}

TEST_CASE("a script puts its guest on wires") {
  const Parsed p(head +
                 "hostname peer\nhost 10.255.254.1 rig\nhost 10.255.254.2 peer\n"
                 "interface 52:54:00:72:69:02\n  address 10.255.254.2/24\n"
                 "  neighbour 10.255.254.1 52:54:00:72:69:01\n  interrupt 3\nend\n"
                 "interface 52:54:00:72:69:03\nend\n");
  REQUIRE(p.error.empty());
  CHECK(p.script.hostname == std::string("peer"));
  REQUIRE(p.script.host_count == 2);
  CHECK(p.script.hosts[1].address == std::string("10.255.254.2"));
  CHECK(p.script.hosts[1].name == std::string("peer"));
  REQUIRE(p.script.interface_count == 2);
  const interface& wire = p.script.interfaces[0];
  CHECK(wire.address == std::string("10.255.254.2"));
  CHECK(wire.prefix == 24);
  CHECK(wire.neighbour == std::string("10.255.254.1"));
  CHECK(wire.neighbour_mac == std::string("52:54:00:72:69:01"));
  CHECK(wire.interrupt_cpu == 3);
  CHECK(p.script.interfaces[1].address == nullptr);
  CHECK(p.script.interfaces[1].interrupt_cpu == -1);
}

TEST_CASE("what a script says wrong of wires is told by its line") {
  const auto [text, message] = GENERATE(table<const char*, const char*>({
      {"interface eth0\n", "line 3: interface takes a MAC as 52:54:00:72:69:01, not 'eth0'"},
      {"interface 52:54:00:72:69:0g\n", "line 3: interface takes a MAC as 52:54:00:72:69:01, not '52:54:00:72:69:0g'"},
      {"interface 52:54:00:72:69:01\n", "line 3: interface '52:54:00:72:69:01' has no end"},
      {"interface 52:54:00:72:69:01\nend\ninterface 52:54:00:72:69:01\n",
       "line 5: two interfaces have the MAC '52:54:00:72:69:01'"},
      {"interface 52:54:00:72:69:01\naddress 10.0.0.1\n",
       "line 4: address takes an IPv4 address and its prefix as 10.0.0.1/24, not '10.0.0.1'"},
      {"interface 52:54:00:72:69:01\naddress 10.0.0.1/33\n",
       "line 4: address takes a whole number from 1 to 32, not '33'"},
      {"interface 52:54:00:72:69:01\nneighbour 10.0.0 52:54:00:72:69:01\n",
       "line 4: neighbour takes an IPv4 address and a MAC, not '10.0.0 52:54:00:72:69:01'"},
      {"interface 52:54:00:72:69:01\ninterrupt x\n", "line 4: interrupt takes a whole number from 0 to 1023, not 'x'"},
      {"interface 52:54:00:72:69:01\nstep x\n",
       "line 4: unknown word 'step' in an interface; allowed: address neighbour interrupt end"},
      {"host peer 10.0.0.1\n", "line 3: host takes an IPv4 address and a name, not 'peer 10.0.0.1'"},
      {"hostname a b\n", "line 3: hostname takes a name of letters, digits, '.', '_' and '-', not 'a b'"},
  }));
  const Parsed p(head + text);
  CHECK_FALSE(p.good);
  CHECK(p.error == message);
}

TEST_CASE("Results may go to a UART by its first I/O port") {
  Parsed parsed("rig-script 1\nresults port:0x2f8\n");
  CHECK(parsed.good);
  CHECK(parsed.script.channel == CHANNEL_PORT);
  CHECK(std::string(parsed.script.channel_name) == "0x2f8");
  for (const char* wrong : {"port:", "port:0x", "port:2f8", "port:0x2f8x", "port:0x12f80", "port:0xfff9"}) {
    Parsed bad(std::string("rig-script 1\nresults ") + wrong + "\n");
    CHECK_FALSE(bad.good);
  }
}
