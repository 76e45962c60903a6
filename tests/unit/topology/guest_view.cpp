// SPDX-License-Identifier: GPL-2.0-or-later
// The views are what guests of QEMU 10.0.2 with Linux 6.1 showed in sysfs (Penryn, dies=2), with and
// without the smp-cache property.
#include "rig/topology/guest_view.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "machines.h"
#include "rig/base/error.h"

using namespace rig;

namespace {

std::string view(const std::vector<std::string>& l2, bool l3) {
  std::string text = "release 6.1.0-57-amd64\nmachine x86_64\nclocksource tsc\nlapic ok\nmemory-kb 500000\n";
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string n = std::to_string(cpu);
    text += "cpu " + n + " package=0 die=" + std::to_string(cpu / 2) + " cluster=? core=" + n +
            " node=0 siblings=" + n + "\n";
    text += "cache cpu=" + n + " level=1 type=Data size-kb=32 line=64 ways=8 shared=" + n + "\n";
    text += "cache cpu=" + n + " level=1 type=Instruction size-kb=32 line=64 ways=8 shared=" + n + "\n";
    text += "cache cpu=" + n +
            " level=2 type=Unified size-kb=4096 line=64 ways=16 shared=" + l2[static_cast<std::size_t>(cpu)] + "\n";
    if (l3)
      text += "cache cpu=" + n +
              " level=3 type=Unified size-kb=16384 line=64 ways=16 shared=" + std::string(cpu < 2 ? "0-1" : "2-3") +
              "\n";
  }
  text += "node 0 cpus=0-3 distances=10\n";
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string n = std::to_string(cpu);
    text += "domain cpu=" + n + " level=0 name=CLS span=" + (cpu < 2 ? "0-1" : "2-3") + "\n";
    text += "domain cpu=" + n + " level=1 name=DIE span=0-3\n";
  }
  return text;
}

}  // namespace

TEST_CASE("A guest that shows the machine asked for has no differences") {
  const auto seen = parse_guest_view(view({"0-1", "0-1", "2-3", "2-3"}, false));
  CHECK(seen.release == "6.1.0-57-amd64");
  CHECK(seen.cpus.size() == 4);
  CHECK(seen.caches[2].size == 4u << 20);
  CHECK(seen.domains[1].name == "DIE");
  CHECK(differences(q6600(), seen).empty());
}

TEST_CASE("Private L2s and an L3 that was not asked for are both told") {
  const auto found = differences(q6600(), parse_guest_view(view({"0", "1", "2", "3"}, true)));
  REQUIRE(found.size() == 8);
  CHECK(found[0] == "CPU 0: L2 shared by: asked 0-1, seen 0");
  CHECK(found[1] == "CPU 0: L3 Unified: not asked, seen");
}

TEST_CASE("A guest with every CPU's APIC id 0 is caught, as 2.6.22 with a narrowed read shows") {
  auto seen = parse_guest_view(view({"0-3", "0-3", "0-3", "0-3"}, false));
  for (auto& cpu : seen.cpus) cpu.siblings = {0, 1, 2, 3};
  const auto found = differences(q6600(), seen);
  CHECK(found[0] == "CPU 0: threads of its core: asked 0, seen 0-3");
  CHECK(found[1] == "CPU 0: L2 shared by: asked 0-1, seen 0-3");
}

TEST_CASE("A missing CPU is told once, not as a difference of everything") {
  auto seen = parse_guest_view(view({"0-1", "0-1", "2-3", "2-3"}, false));
  seen.cpus.pop_back();
  CHECK(differences(q6600(), seen) == std::vector<std::string>{"CPUs online: asked 4, seen 3"});
}

TEST_CASE("Nodes and distances are compared where more than one is asked") {
  auto asked = q6600();
  asked.nodes = {{{0, 1}, 1u << 29}, {{2, 3}, 1u << 29}};
  asked.distances = {{10, 20}, {20, 10}};
  const auto seen = parse_guest_view(view({"0-1", "0-1", "2-3", "2-3"}, false));
  const auto found = differences(asked, seen);
  CHECK(found[0] == "CPU 2: NUMA node: asked 1, seen 0");
  CHECK(found[2] == "NUMA nodes: asked 2, seen 1");
}

TEST_CASE("The size that QEMU shows is compared, not the one it cannot show") {
  auto asked = q6600();
  asked.caches[2].size = 6 << 20, asked.caches[2].ways = 24;
  const auto seen = parse_guest_view(view({"0-1", "0-1", "2-3", "2-3"}, false));
  CHECK(differences(asked, seen).front() == "CPU 0: L2 size: asked 6 MiB, seen 4 MiB");
  asked.caches[2].shown = 4 << 20;
  CHECK(differences(asked, seen).empty());
}

TEST_CASE("A view that cannot be understood is refused with its line") {
  for (const char* wrong : {"colour blue", "cpu x package=0", "cpu 0 package=99999999999", "cache level=1",
                            "memory-kb -5", "domain cpu=0 level=0 span=1-", "lonely"}) {
    CHECK_THROWS_WITH(parse_guest_view(wrong),
                      std::string("the guest's view has a line that cannot be understood: ") + wrong);
  }
  std::string endless;
  for (int i = 0; i < 30000; ++i) endless += "warning x\n";
  CHECK_THROWS_AS(parse_guest_view(endless), WorkError);
}

TEST_CASE("A scheduler domain that reaches the peer's CPU is told") {
  auto asked = q6600();
  asked.peer = PeerPackage{};
  asked.nodes[0].cpus.push_back(4);
  std::string text = view({"0-1", "0-1", "2-3", "2-3"}, false) +
                     "cpu 4 package=1 die=2 cluster=? core=4 node=0 siblings=4\n"
                     "cmdline console=ttyS0 isolcpus=4\n";
  for (const char* cache :
       {"level=1 type=Data size-kb=32", "level=1 type=Instruction size-kb=32", "level=2 type=Unified size-kb=4096"})
    text += std::string("cache cpu=4 ") + cache + " line=64 ways=8 shared=4\n";
  CHECK(differences(asked, parse_guest_view(text)).empty());
  const auto found = differences(asked, parse_guest_view(text + "domain cpu=0 level=2 name=NUMA span=0-4\n"));
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "CPU 0: scheduler domain: 0-4 not asked, seen");
}
