// SPDX-License-Identifier: GPL-2.0-or-later
// What hosts of many shapes carry, as docs/placement.md says it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <set>

#include "brute_force.h"
#include "machines.h"
#include "rig/base/base.h"
#include "rig/mapping/mapping.h"
#include "rig/mapping/pair_text.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

using Cpus = std::vector<unsigned>;

Mapping map_one(const Host& host, const Topology& guest, bool strict = false) {
  return map_guests(host, {{&guest}, strict}).front();
}

std::string lost_text(const Mapping& mapping) {
  std::string text;
  for (const auto& lost : mapping.lost) text += lost.text + "\n";
  return text;
}

std::string notes_text(const Mapping& mapping) {
  std::string text;
  for (const auto& note : mapping.notes) text += note + "\n";
  return text;
}

// Cores 0 to 3 with SMT and of the faster kind, 4 to 11 the slower, L2 for four of these; one L3.
Host hybrid() {
  Host host = survey_synthetic("package:1 l3:1 core:12 pu:1");
  host.cpus.clear();
  for (unsigned os = 0; os < 16; ++os) {
    HostCpu cpu;
    cpu.os = os;
    cpu.core = os < 8 ? os / 2 : os - 4;
    cpu.kind = os < 8 ? 1 : 0;
    cpu.kind_name = os < 8 ? "IntelCore" : "IntelAtom";
    host.cpus.push_back(cpu);
  }
  Cpus all;
  for (unsigned os = 0; os < 16; ++os) all.push_back(os);
  host.caches = {{2, 1 << 20, {0, 1}}, {2, 1 << 20, {2, 3}},         {2, 1 << 20, {4, 5}},
                 {2, 1 << 20, {6, 7}}, {2, 1 << 21, {8, 9, 10, 11}}, {2, 1 << 21, {12, 13, 14, 15}},
                 {3, 1 << 24, all}};
  host.packages = {{0, all}};
  host.nodes = {{0, std::uint64_t{16} << 30, all, true}};
  return host;
}

}  // namespace

TEST_CASE("Two L3 groups of a package carry the Q6600's two dies, and the level is noted") {
  const Host host = survey_synthetic("package:1 l3:2 core:4 pu:1");
  const Mapping mapping = map_one(host, topology("q6600"));
  CHECK(mapping.exact);
  CHECK(mapping.cpu_of_vcpu == Cpus{0, 1, 4, 5});
  CHECK_THAT(notes_text(mapping), ContainsSubstring("the guest's common L2 is an L3 of the host"));
  CHECK_THAT(draw(mapping, topology("q6600"), host), EndsWith("mapping: exact\n"));
}

TEST_CASE("An L3 over both pairs of a Q6600 is a lost relation, told once for all four pairs") {
  const Host laptop = survey_synthetic("package:1 l3:1 l2:4 core:1 pu:2");
  const Mapping mapping = map_one(laptop, topology("q6600"));
  CHECK_FALSE(mapping.exact);
  REQUIRE(mapping.lost.size() == 1);
  CHECK(mapping.lost[0].kind == LostKind::Cache);
  CHECK(mapping.lost[0].pairs.size() == 4);
  CHECK(mapping.lost[0].text == "CPUs 0-1 and 2-3 share no cache; their host CPUs share an L3");
  CHECK(carries(mapping, 0, 1));
  CHECK_FALSE(carries(mapping, 1, 2));
  CHECK_THAT(draw(mapping, topology("q6600"), laptop),
             EndsWith("mapping: partial\nlost: CPUs 0-1 and 2-3 share no cache; their host CPUs share an L3\n"));
}

TEST_CASE("Guest cores lie on different host cores, and their siblings stay empty") {
  const Host host = survey_synthetic("package:1 l3:2 core:2 pu:2");
  const Mapping mapping = map_one(host, topology("q6600"));
  CHECK(mapping.exact);
  CHECK(mapping.cpu_of_vcpu == Cpus{0, 2, 4, 6});
  CHECK_THAT(notes_text(mapping), ContainsSubstring("host CPUs 1,3,5,7"));
}

TEST_CASE("SMT siblings of the guest lie on SMT siblings") {
  const Topology guest = machine(1, 2, 2, {cache(3, 2)});
  const Mapping mapping = map_one(survey_synthetic("package:1 l3:1 core:4 pu:2"), guest);
  CHECK(mapping.exact);
  CHECK(mapping.cpu_of_vcpu == Cpus{0, 1, 2, 3});
  const Mapping torn = map_one(survey_synthetic("package:1 l3:1 core:8 pu:1"), guest);
  CHECK_THAT(lost_text(torn), ContainsSubstring("CPUs 0 and 1, 2 and 3 are SMT siblings; their host CPUs are not"));
}

TEST_CASE("Two packages in one node carry the Dell 1950; a node each carries its NUMA form") {
  const Host one_node = survey_synthetic("numa:1 package:2 l2:2 core:2 pu:1");
  const Host two_nodes = survey_synthetic("package:2 numa:1(memory=4GB) l2:2 core:2 pu:1");
  CHECK(map_one(one_node, topology("dell-1950")).exact);
  CHECK(map_one(two_nodes, topology("dell-1950-numa2")).exact);
  const Mapping split = map_one(two_nodes, topology("dell-1950"));
  CHECK_THAT(lost_text(split), ContainsSubstring("CPUs 0-3 and 4-7 are of one NUMA node"));
  CHECK_THAT(lost_text(split), ContainsSubstring("NUMA node 0's 2 GiB lies in host node"));
  const Mapping joined = map_one(one_node, topology("dell-1950-numa2"));
  CHECK_THAT(lost_text(joined), ContainsSubstring("CPUs 0-3 and 4-7 are of different NUMA nodes"));
}

TEST_CASE("A nearer common cache of the guest must be nearer on the host too") {
  const Topology guest = machine(1, 4, 1, {cache(2, 2), cache(3, 4)});
  CHECK(map_one(survey_synthetic("package:1 l3:1 l2:2 core:2 pu:1"), guest).exact);
  const Mapping flat = map_one(survey_synthetic("package:1 l3:1 core:4 pu:1"), guest);
  REQUIRE(flat.lost.size() == 1);
  CHECK(flat.lost[0].kind == LostKind::Nearness);
  CHECK(flat.lost[0].pairs.size() == 2);
}

TEST_CASE("Memory of a guest node lies in one host node near its CPUs that holds it") {
  Host host = survey_synthetic("package:2 numa:1(memory=1GB) l3:1 core:4 pu:1");
  Topology guest = machine(1, 2, 1, {cache(3, 2)});
  guest.nodes[0].memory = std::uint64_t{1} << 29;
  CHECK(map_one(host, guest).node_of_guest_node.at(0) == 0u);
  host.nodes[0].memory = 0;  // memory-less
  const Mapping moved = map_one(host, guest);
  CHECK(moved.exact);
  CHECK(moved.cpu_of_vcpu == Cpus{4, 5});
  CHECK(moved.node_of_guest_node.at(0) == 1u);
  guest.nodes[0].memory = std::uint64_t{4} << 30;
  const Mapping none = map_one(host, guest);
  CHECK_FALSE(none.node_of_guest_node.at(0));
  CHECK_THAT(lost_text(none), ContainsSubstring("NUMA node 0's 4 GiB has no host node that could hold it"));
}

TEST_CASE("A guest node without CPUs takes a host node without CPUs") {
  Host host = survey_synthetic("package:2 numa:1(memory=4GB) l3:1 core:4 pu:1");
  host.nodes.push_back({7, std::uint64_t{8} << 30, {}, true});
  Topology guest = machine(1, 2, 1, {cache(3, 2)});
  guest.nodes.push_back({{}, std::uint64_t{1} << 30});
  const Mapping mapping = map_one(host, guest);
  CHECK(mapping.exact);
  CHECK(mapping.node_of_guest_node.at(1) == 7u);
}

TEST_CASE("Of a hybrid host the faster cores carry what they can, and kinds are not mixed in silence") {
  const Host host = hybrid();
  const Mapping four = map_one(host, machine(1, 4, 1, {cache(3, 4)}));
  CHECK(four.exact);
  CHECK(four.cpu_of_vcpu == Cpus{0, 2, 4, 6});
  const Mapping eight = map_one(host, machine(1, 8, 1, {cache(3, 8)}));
  CHECK(eight.exact);
  CHECK(eight.cpu_of_vcpu == Cpus{8, 9, 10, 11, 12, 13, 14, 15});
  const Mapping twelve = map_one(host, machine(1, 12, 1, {cache(3, 12)}));
  CHECK(twelve.exact);
  CHECK_THAT(notes_text(twelve), ContainsSubstring("cores of different kinds"));
  const Mapping pairs = map_one(host, machine(1, 4, 1, {cache(2, 2), cache(3, 4)}));
  CHECK(pairs.exact);  // pairs of the slower cores share an L2, nearer than the L3
  CHECK(find_cpu(host, pairs.cpu_of_vcpu[0])->kind == 0);
}

TEST_CASE("Isolated and idle CPUs are preferred, and what may not be used is not") {
  Host host = survey_synthetic("package:1 l3:1 core:8 pu:1");
  const Topology guest = machine(1, 2, 1, {cache(3, 2)});
  host.cpus[5].isolated = host.cpus[6].isolated = true;
  const Mapping isolated = map_one(host, guest);
  CHECK(isolated.cpu_of_vcpu == Cpus{5, 6});
  CHECK(isolated.emulator == Cpus{0});  // the kernel balances no isolated CPU: threads of many do not go there
  host.cpus[5].isolated = host.cpus[6].isolated = false;
  for (auto& cpu : host.cpus) cpu.idle = cpu.os == 3 || cpu.os == 7;
  CHECK(map_one(host, guest).cpu_of_vcpu == Cpus{3, 7});
  host.cpus[3].allowed = false;
  CHECK(map_one(host, guest).cpu_of_vcpu == Cpus{0, 7});
  host.cpus[7].online = false;
  CHECK(map_one(host, guest).cpu_of_vcpu == Cpus{0, 1});
}

TEST_CASE("QEMU's other threads get a core of their own while there is one, near the guest") {
  const Topology guest = machine(1, 2, 1, {cache(3, 2)});
  const Mapping roomy = map_one(survey_synthetic("package:2 l3:1 core:3 pu:2"), guest);
  CHECK(roomy.emulator == Cpus{4, 5});
  const Mapping siblings = map_one(survey_synthetic("package:1 l3:1 core:2 pu:2"), guest);
  CHECK(siblings.exact);
  CHECK(siblings.emulator == Cpus{1});
  CHECK_THAT(notes_text(siblings), ContainsSubstring("no core is left"));
  const Mapping full = map_one(survey_synthetic("package:1 l3:1 core:2 pu:1"), guest);
  CHECK(full.exact);
  CHECK(full.emulator == Cpus{0, 1});
  CHECK_THAT(notes_text(full), ContainsSubstring("no host CPU is left for QEMU's other threads"));
}

TEST_CASE("Two guests never share a core, and are mapped together") {
  const Topology guest = topology("q6600");
  const Host host = survey_synthetic("package:1 numa:1(memory=4GB) l3:4 core:2 pu:2");
  const auto mappings = map_guests(host, {{&guest, &guest}, true});
  REQUIRE(mappings.size() == 2);
  std::set<unsigned> cores;
  for (const auto& mapping : mappings) {
    CHECK(mapping.exact);
    for (const unsigned os : mapping.cpu_of_vcpu) cores.insert(find_cpu(host, os)->core);
  }
  CHECK(cores.size() == 8);
  // together their memory would not fit into the node
  const Host small = survey_synthetic("package:1 numa:1(memory=1500MB) l3:4 core:2 pu:2");
  CHECK_THROWS_AS(map_guests(small, {{&guest, &guest}, true}), HostLacks);
}

TEST_CASE("Two CPUs under a guest of four are overcommitted, in turn, and told so") {
  const Host here = survey_synthetic("package:1 l3:1 l2:2 core:1 pu:1");
  const Mapping mapping = map_one(here, topology("q6600"));
  CHECK(mapping.overcommitted);
  CHECK_FALSE(mapping.exact);
  CHECK(mapping.cpu_of_vcpu == Cpus{0, 1, 0, 1});
  CHECK(mapping.emulator == Cpus{0, 1});
  CHECK_THAT(notes_text(mapping), ContainsSubstring("overcommitted: 4 guest CPUs take turns on 2 host CPUs"));
  CHECK_THAT(lost_text(mapping), ContainsSubstring("they have one host CPU between them"));
}

TEST_CASE("Strict refuses what is not exact and names what is lost") {
  const Host laptop = survey_synthetic("package:1 l3:1 core:4 pu:2");
  try {
    map_one(laptop, topology("q6600"), true);
    FAIL("it was mapped");
  } catch (const HostLacks& lack) {
    CHECK_THAT(lack.what(), ContainsSubstring("q6600 cannot be carried exactly"));
    CHECK_THAT(lack.what(), ContainsSubstring("lost: CPUs 0-1 and 2-3 share no cache"));
  }
}

TEST_CASE("A host that tells nothing of its caches carries no relation of them") {
  const Mapping mapping = map_one(survey_synthetic("package:1 core:4 pu:1"), topology("q6600"));
  CHECK_FALSE(mapping.exact);
  CHECK_THAT(lost_text(mapping), ContainsSubstring("the host's caches are not known"));
  CHECK(map_one(survey_synthetic("package:1 core:4 pu:1"), machine(1, 1, 1)).exact);
}

TEST_CASE("A host without a usable CPU, and other numbers of guests than one or two, are refused") {
  Host host = survey_synthetic("package:1 l3:1 core:2 pu:1");
  const Topology guest = machine(1, 1, 1);
  CHECK_THROWS_AS(map_guests(host, {{}, false}), InputError);
  CHECK_THROWS_AS(map_guests(host, {{&guest, &guest, &guest}, false}), InputError);
  for (auto& cpu : host.cpus) cpu.allowed = false;
  CHECK_THROWS_AS(map_one(host, guest), HostLacks);
}

TEST_CASE("The same host and guests give the same mapping") {
  const Host host = survey_synthetic("package:2 numa:2 l3:2 core:4 pu:2");
  const Topology guest = topology("dell-1950");
  CHECK(map_guests(host, {{&guest, &guest}, false}) == map_guests(host, {{&guest, &guest}, false}));
}

TEST_CASE("A guest of 64 CPUs is mapped onto 512 in little time, exactly or not") {
  const Host host = survey_synthetic("package:2 numa:4 l3:4 core:8 pu:2");
  Topology guest = machine(2, 32, 1, {cache(2, 1), cache(3, 8)});
  const auto start = std::chrono::steady_clock::now();
  const Mapping one_node = map_one(host, guest);
  CHECK_FALSE(one_node.exact);  // no host node has 64 cores
  guest.nodes.assign(2, {{}, std::uint64_t{64} << 20});
  for (int cpu = 0; cpu < 64; ++cpu) guest.nodes[static_cast<std::size_t>(cpu / 32)].cpus.push_back(cpu);
  CHECK(map_one(host, guest).exact);
  // the figure is the benchmark's; this only catches what grew out of hand on a busy machine
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("Pairs of CPUs are told in few words") {
  CHECK(describe_pairs({{0, 1}}) == "0 and 1");
  CHECK(describe_pairs({{0, 1}, {2, 3}}) == "0 and 1, 2 and 3");
  CHECK(describe_pairs({{0, 2}, {0, 3}, {1, 2}, {1, 3}}) == "0-1 and 2-3");
  CHECK(describe_pairs({{0, 1}, {0, 2}, {1, 2}}) == "0-2 among themselves");
  CHECK(describe_pairs({{0, 1}, {1, 2}, {2, 3}}) == "0 with 1, 1 with 2 and 2 with 3");
}

TEST_CASE("The picture shows machine and host, with each guest CPU where it lies") {
  const Host host = survey_synthetic("package:1 l3:2 core:4 pu:1");
  const Topology guest = topology("q6600");
  const Mapping mapping = map_one(host, guest);
  const std::string svg = draw_svg(guest, host, mapping);
  CHECK_THAT(svg, ContainsSubstring("q6600"));
  CHECK_THAT(svg, ContainsSubstring(">CPU 3</text>"));
  CHECK_THAT(svg, ContainsSubstring(">mapping: exact</text>"));
  std::size_t opened = 0, guests = 0;
  for (std::size_t at = 0; (at = svg.find("<rect", at)) != std::string::npos; ++at) ++opened;
  for (std::size_t at = 0; (at = svg.find("font-weight=\"bold\">CPU", at)) != std::string::npos; ++at) ++guests;
  CHECK(guests == 4);
  CHECK(opened == 1 + 7 + 11);  // the ground; package, pairs, CPUs; package with its L3s and cores
  Topology odd = guest;
  odd.name = "a<b>&\"c\"";
  CHECK_THAT(draw_svg(odd), ContainsSubstring("a&lt;b&gt;&amp;&quot;c&quot;"));
}
