// SPDX-License-Identifier: GPL-2.0-or-later
// Scheduler domains as kernels from 2.6.22 to 6.14 showed them in guests of these shapes (/proc/schedstat), and
// what a wrong view comes to.
#include <catch2/catch_test_macros.hpp>

#include "machines.h"
#include "rig/topology/guest_view.h"

using namespace rig;

namespace {

using Spans = std::vector<std::string>;

// A view of nothing but CPUs and each one's domains, from the inside out.
GuestView seen(const std::vector<Spans>& cpus, const std::string& release = "6.1.192", const std::string& words = "") {
  GuestView view;
  view.release = release;
  view.cmdline = words;
  for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
    GuestCpu line;
    line.cpu = static_cast<int>(cpu);
    view.cpus.push_back(line);
    for (std::size_t level = 0; level < cpus[cpu].size(); ++level)
      view.domains.push_back({line.cpu, static_cast<int>(level), "?", *parse_cpu_list(cpus[cpu][level])});
  }
  return view;
}

std::vector<std::string> none() { return {}; }

Topology two_nodes(Topology t) {
  const auto half = static_cast<int>(cpu_count(t)) / 2;
  t.nodes = {{{}, 1u << 29}, {{}, 1u << 29}};
  for (int cpu = 0; cpu < 2 * half; ++cpu) t.nodes[cpu < half ? 0 : 1].cpus.push_back(cpu);
  t.distances = {{10, 20}, {20, 10}};
  return t;
}

}  // namespace

TEST_CASE("The domains that kernels of twenty years show on the Q6600 are the ones asked for") {
  // 2.6.22 to 2.6.28 show the machine a second time, as a node of its own
  CHECK(domain_differences(
            q6600(), seen({{"0-1", "0-3", "0-3"}, {"0-1", "0-3", "0-3"}, {"2-3", "0-3", "0-3"}, {"2-3", "0-3", "0-3"}},
                          "2.6.22")) == none());
  CHECK(domain_differences(q6600(), seen({{"0-1", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {"2-3", "0-3"}})) == none());
  // with a node for each die the L2 and the node are one level
  CHECK(domain_differences(two_nodes(q6600()), seen({{"0-1", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {"2-3", "0-3"}},
                                                    "2.6.30-rc3")) == none());
}

TEST_CASE("Two packages of one node are one domain, and of two nodes two") {
  const std::vector<Spans> one = {{"0-1", "0-7"}, {"0-1", "0-7"}, {"2-3", "0-7"}, {"2-3", "0-7"},
                                  {"4-5", "0-7"}, {"4-5", "0-7"}, {"6-7", "0-7"}, {"6-7", "0-7"}};
  CHECK(domain_differences(dell_1950(), seen(one)) == none());
  const auto found = domain_differences(two_nodes(dell_1950()), seen(one));
  REQUIRE(found.size() == 8);
  CHECK(found[0] == "CPU 0: scheduler domain of the node: asked 0-3, seen 0-1, 0-7");
  std::vector<Spans> two;
  for (int cpu = 0; cpu < 8; ++cpu)
    two.push_back({one[static_cast<std::size_t>(cpu)][0], cpu < 4 ? "0-3" : "4-7", "0-7"});
  CHECK(domain_differences(two_nodes(dell_1950()), seen(two)) == none());
}

TEST_CASE("A level that is missing and one that is too many are each told") {
  const std::vector<Spans> flat(4, Spans{"0-3"});
  CHECK(domain_differences(q6600(), seen(flat)).front() ==
        "CPU 0: scheduler domain of the shared L2: asked 0-1, seen 0-3");
  CHECK(domain_differences(q6600(), seen({{"0-1", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {"2-3"}})) ==
        std::vector<std::string>{"CPU 3: scheduler domain of the machine: asked 0-3, seen 2-3"});
  CHECK(domain_differences(q6600(), seen({{"0-1", "0-2", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {"2-3", "0-3"}})) ==
        std::vector<std::string>{"CPU 0: scheduler domain: 0-2 not asked, seen"});
  CHECK(domain_differences(q6600(), seen({{"0-1", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {}})).size() == 2);
}

TEST_CASE("Threads of a core are a level of their own") {
  Topology t = q6600();
  t.dies = 1, t.threads = 2;  // two cores of two threads that share the L2
  CHECK(domain_differences(t, seen({{"0-1", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {"2-3", "0-3"}})) == none());
  CHECK(domain_differences(t, seen(std::vector<Spans>(4, Spans{"0-3"}))).front() ==
        "CPU 0: scheduler domain of the threads of a core: asked 0-1, seen 0-3");
}

TEST_CASE("What shares an L2 below an L3 is a level since 5.16, and may be missing") {
  Topology t = q6600();
  t.caches.push_back({.level = 3, .size = 8 << 20, .ways = 16, .shared_by = 4});
  CHECK(domain_differences(t, seen({{"0-1", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {"2-3", "0-3"}})) == none());
  CHECK(domain_differences(t, seen(std::vector<Spans>(4, Spans{"0-3"}), "5.10.0")) == none());
}

TEST_CASE("A CPU that isolcpus= takes out is in no domain, and the others do without it") {
  const std::vector<Spans> spans = {{"0-1", "0-2"}, {"0-1", "0-2"}, {"0-2"}, {}};
  CHECK(domain_differences(q6600(), seen(spans, "6.1.192", "quiet isolcpus=3")) == none());
  CHECK(domain_differences(q6600(), seen(spans, "6.1.192", "isolcpus=nohz,domain,3 x")) == none());
  CHECK_FALSE(domain_differences(q6600(), seen(spans)).empty());
}

TEST_CASE("Where the kernel shows no spans, as without schedstats, nothing is compared") {
  CHECK(domain_differences(q6600(), seen({{}, {}, {}, {}})) == none());
}

TEST_CASE("Nodes are levels by distance since 3.5, and one level before") {
  Topology t = q6600();
  t.sockets = 4, t.dies = 1, t.cores = 1, t.caches.clear();
  t.nodes = {{{0}, 1u << 28}, {{1}, 1u << 28}, {{2}, 1u << 28}, {{3}, 1u << 28}};
  t.distances = {{10, 16, 22, 22}, {16, 10, 22, 22}, {22, 22, 10, 16}, {22, 22, 16, 10}};
  CHECK(domain_differences(t, seen({{"0-1", "0-3"}, {"0-1", "0-3"}, {"2-3", "0-3"}, {"2-3", "0-3"}})) == none());
  const std::vector<Spans> flat(4, Spans{"0-3"});
  CHECK(domain_differences(t, seen(flat, "2.6.32")) == none());
  CHECK(domain_differences(t, seen(flat)).front() ==
        "CPU 0: scheduler domain of the nodes within distance 16: asked 0-1, seen 0-3");
}

TEST_CASE("APIC ids leave room for what is not a power of two") {
  CHECK(apic_id(q6600(), 3) == 3);
  CHECK(apic_id(dell_1950(), 5) == 5);
  Topology t = q6600();
  t.sockets = 2, t.dies = 1, t.cores = 3, t.threads = 2;  // CPU 6 is the first of socket 1: 3 cores take 2 bits
  CHECK(apic_id(t, 5) == 5);
  CHECK(apic_id(t, 6) == 8);
  GuestView view = parse_guest_view(
      "cpu 0 package=0 core=0 apic=0 siblings=0\ncpu 1 package=0 core=1 apic=0 siblings=1\n"
      "cpu 2 package=0 core=2 apic=2 siblings=2\ncpu 3 package=0 core=3 apic=? siblings=3\n");
  Topology bare = q6600();
  bare.caches.clear();
  CHECK(differences(bare, view) == std::vector<std::string>{"CPU 1: APIC id: asked 1, seen 0"});
}
