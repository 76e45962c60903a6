// SPDX-License-Identifier: GPL-2.0-or-later
// Real machines: the captures that hwloc tests itself with, taken from Debian's source package. What hwloc's own
// expected outputs count is what the survey must count; what the solver claims of them is judged by the exhaustive
// search of the unit tests.
#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "../unit/mapping/brute_force.h"
#include "../unit/mapping/machines.h"
#include "rig/base/base.h"
#include "rig/debian/debian.h"
#include "rig/mapping/mapping.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

using Cpus = std::vector<unsigned>;

// hwloc's tests, unpacked once for this program; "" with the reason where they cannot be had.
struct Sources {
  TempDir dir{fs::temp_directory_path(), "rig-captures"};
  std::string missing;
  Sources() {
    try {
      DebianArchive archive(cache_directory() / "packages", "bookworm");
      unpack_tar(archive.fetch(archive.resolve_source("hwloc")), dir.path(), true);
    } catch (const HostLacks& lack) {
      missing = lack.what();
    }
  }
  fs::path tests() const { return dir.path() / "tests/hwloc"; }
};

const Sources& sources() {
  static const Sources all;
  return all;
}

#define REQUIRE_CAPTURES() \
  if (!sources().missing.empty()) SKIP("hwloc's captures cannot be had here: " << sources().missing)

struct Unpacked {
  TempDir dir{fs::temp_directory_path(), "rig-capture"};
  explicit Unpacked(const std::string& capture) {
    unpack_tar(sources().tests() / (capture + ".tar.bz2"), dir.path(), true);
  }
};

class Variables {
 public:
  ~Variables() {
    for (const auto& name : names_) ::unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }

 private:
  std::vector<std::string> names_;
};

// Captures of CPUID (and with them of /sys) are read by hwloc's own x86 part, which rig does not use of another
// root; they come to rig as XML. They tell no memory.
Host survey_cpuid(const fs::path& cpuid, const fs::path& root) {
  const TempDir dir(fs::temp_directory_path(), "rig-cpuid");
  const std::string file = dir.path() / "host.xml";
  Variables variables;
  variables.set("HWLOC_CPUID_PATH", cpuid);
  if (!root.empty()) variables.set("HWLOC_FSROOT", root);
  variables.set("HWLOC_COMPONENTS", root.empty() ? "x86,stop" : "linux,x86,stop");
  hwloc_topology_t topology = nullptr;
  REQUIRE(hwloc_topology_init(&topology) == 0);
  REQUIRE(hwloc_topology_load(topology) == 0);
  REQUIRE(hwloc_topology_export_xml(topology, file.c_str(), 0) == 0);
  hwloc_topology_destroy(topology);
  Host host = survey_xml(file);
  if (root.empty()) {
    for (auto& node : host.nodes) node.memory.reset();
  }
  return host;
}

Host read_capture(const std::string& capture) {
  if (capture.starts_with("xml/")) return survey_xml(sources().tests() / (capture + ".xml"));
  const Unpacked unpacked(capture);  // all together about ten thousand small files
  if (capture.starts_with("x86/")) return survey_cpuid(unpacked.dir.path(), {});
  if (capture.starts_with("x86+linux/")) {
    return survey_cpuid(unpacked.dir.path() / "cpuid", unpacked.dir.path() / "fsroot");
  }
  return survey_live(unpacked.dir.path());
}

// Each is unpacked and read once.
const Host& survey_capture(const std::string& capture) {
  static std::map<std::string, Host> known;
  const auto found = known.find(capture);
  return found != known.end() ? found->second : known.emplace(capture, read_capture(capture)).first->second;
}

// How many objects of a type hwloc's own expected output has: lstopo's table, or its XML.
std::optional<int> expected(const std::string& output, const std::string& type) {
  std::smatch match;
  if (std::regex_search(output, match, std::regex("depth -?\\d+:\\s+(\\d+) " + type + " "))) return std::stoi(match[1]);
  if (output.find("<object type=") == std::string::npos)
    return output.find("depth 0:") == std::string::npos ? std::nullopt : std::optional(0);
  int count = 0;
  const std::string tag = "<object type=\"" + type + "\"";
  for (std::size_t at = 0; (at = output.find(tag, at)) != std::string::npos; ++at) ++count;
  return count;
}

bool any_usable(const Host& host, const Cpus& cpus) {
  for (const unsigned os : cpus) {
    const HostCpu* cpu = find_cpu(host, os);
    if (cpu != nullptr && cpu->usable()) return true;
  }
  return false;
}

std::map<std::string, int> counted(const Host& host) {
  std::map<std::string, int> count = {{"PU", 0}, {"Core", 0}, {"Package", 0}, {"L2Cache", 0}, {"L3Cache", 0}};
  std::set<unsigned> cores;
  for (const auto& cpu : host.cpus) {
    if (!cpu.usable()) continue;
    ++count["PU"];
    cores.insert(cpu.core);
  }
  count["Core"] = static_cast<int>(cores.size());
  for (const auto& package : host.packages) count["Package"] += any_usable(host, package.cpus) ? 1 : 0;
  for (const auto& cache : host.caches) {
    if (cache.level >= 2 && any_usable(host, cache.cpus)) ++count[fmt::format("L{}Cache", cache.level)];
  }
  return count;
}

std::vector<Topology> guests() {
  std::vector<Topology> all = {topology("q6600"), topology("q6600-numa2"), topology("dell-1950"),
                               topology("dell-1950-numa2")};
  all.push_back(machine(1, 2, 2, {cache(3, 2)}));
  all.push_back(machine(1, 4, 1, {cache(2, 2), cache(3, 4)}));
  all.push_back(machine(1, 4, 1, {cache(2, 1)}));
  all.push_back(machine(2, 2, 1, {cache(3, 2)}));
  Topology nodes = machine(2, 2, 1);
  nodes.nodes = {{{0, 1}, 64u << 20}, {{2, 3}, 64u << 20}};
  all.push_back(nodes);
  return all;
}

std::size_t lost_pairs(const Mapping& mapping) {
  std::size_t sum = 0;
  for (const auto& lost : mapping.lost) sum += lost.kind == LostKind::Memory ? 1 : lost.pairs.size();
  return sum;
}

// Claims are true; and up to 16 CPUs exact mappings are found if and only if they exist.
void judge(const std::string& name, const Host& host) {
  for (const Topology& guest : guests()) {
    INFO(name << " under " << guest.name << " of " << cpu_count(guest) << " CPUs");
    const Mapping mapping = map_guests(host, {{&guest}, false}).front();
    INFO(draw(mapping, guest, host));
    BruteForce brute(host, {&guest});
    const Losses losses = brute.losses({mapping.cpu_of_vcpu}, {mapping.node_of_guest_node});
    CHECK(lost_pairs(mapping) == losses[0] + losses[1] + losses[3] + losses[4] + losses[5] + losses[6]);
    if (usable_cpus(host).size() > 16) continue;
    const auto exists = brute.exact_exists(20000000);
    REQUIRE(exists);
    CHECK(mapping.exact == *exists);
  }
}

const char* const captures[] = {
    // laptops and desktops with and without SMT
    "linux/4em64t-2c2t-ignore-reorder", "linux/8em64t-4c2t", "linux/2i386-2c-nohugepage",
    "linux/2i386-2t-hugepagesizecount", "x86/Zhaoxin-CentaurHauls-ZXD-4600",
    // cores of two kinds
    "x86+linux/5intel64-hybrid-lakefield", "x86/Intel-CPUID.1A-1p2co2t", "linux/8em64t-2s4c-heterogeneous",
    // two sockets
    "x86/Intel-Core-2xXeon-E5345", "x86/Intel-Nehalem-2xXeon-X5550", "x86/Intel-SandyBridge-2xXeon-E5-2650",
    "x86/Intel-Skylake-2xXeon6140", "linux/8em64t-2s2ca2c", "xml/32em64t-2n8c2t-pci-noio", "xml/24em64t-2n6c2t-pci",
    // eight and more groups of an L3
    "x86/AMD-17h-Zen-2xEpyc-7451", "x86/AMD-19h-Zen3-2xEpyc-7763", "linux/48amd64-4d2n6c-sparse",
    // NUMA: four nodes and more, one without CPUs, nodes within a package, memory of two sorts
    "linux/8amd64-4n2c", "xml/96em64t-4n4d3ca2co-pci", "linux/16amd64-8n2c", "xml/8ia64-2n2s2c+1n.v1",
    "xml/64intel64-fakeKNL-SNC4-hybrid", "xml/28intel64-2p2g7c-CoDgroups.v1", "xml/16-2gr2gr2n2c+misc",
    // confined, and with CPUs that are offline
    "linux/16em64t-4s2c2t-offlines", "linux/offline-cpu0-node0", "linux/16amd64-8n2c-cpusets",
    "linux/32amd64-4s2n4c-cgroup2", "linux/16amd64-4n4c-cgroup-distance-merge", "linux/4fake-4gr1nu1pu"};

}  // namespace

TEST_CASE("The survey counts of captured machines what hwloc's own tests count") {
  REQUIRE_CAPTURES();
  int compared = 0;
  for (const std::string capture : captures) {
    const fs::path output = sources().tests() / (capture + ".output");
    // with options and variables hwloc is asked for another view: levels merged, other parts of hwloc
    const bool other_view =
        fs::exists(sources().tests() / (capture + ".env")) || capture.find("merge") != std::string::npos;
    if (!fs::exists(output) || (other_view && !capture.starts_with("x86"))) continue;
    const std::string text = read_file(output);
    const Host& host = survey_capture(capture);
    for (const auto& [type, count] : counted(host)) {
      const auto wanted = expected(text, type);
      // where cores are not told each CPU is one; of confined machines hwloc keeps packages for their memory
      const bool confined = std::any_of(host.cpus.begin(), host.cpus.end(),
                                        [](const HostCpu& cpu) { return cpu.online && !cpu.allowed; });
      if (!wanted || (type == "Core" && *wanted == 0) || (confined && type != "PU" && type != "Core")) continue;
      INFO(capture << ": " << type);
      CHECK(count == *wanted);
      ++compared;
    }
  }
  CHECK(compared > 70);
}

TEST_CASE("Of captured machines no relation is claimed that does not hold, and no exact mapping is missed") {
  REQUIRE_CAPTURES();
  for (const std::string capture : captures) judge(capture, survey_capture(capture));
  judge("live", survey_live());
  std::cout << fmt::format("{} captures and this machine, {} guests each\n", std::size(captures), guests().size());
}

TEST_CASE("The 2009 post's Dell is carried by a machine of its kind, and not by its successors") {
  REQUIRE_CAPTURES();
  const Topology dell = topology("dell-1950");
  const auto carried = [&](const std::string& capture) {
    const Host& host = survey_capture(capture);
    return map_guests(host, {{&dell}, false}).front();
  };
  CHECK(carried("x86/Intel-Core-2xXeon-E5345").exact);              // two packages of two L2 pairs, no L3
  CHECK(carried("x86/AMD-17h-Zen-2xEpyc-7451").exact);              // an L3 for each three cores carries a pair
  const Mapping skylake = carried("x86/Intel-Skylake-2xXeon6140");  // one L3 a package
  CHECK_FALSE(skylake.exact);
  REQUIRE(skylake.lost.size() == 1);
  CHECK(skylake.lost[0].text == "CPUs 0-1 and 2-3, 4-5 and 6-7 share no cache; their host CPUs share an L3");
}

TEST_CASE("A cpuset that leaves three CPUs leaves three, of cgroup v1 and v2") {
  REQUIRE_CAPTURES();
  const Unpacked one("linux/16amd64-8n2c-cpusets"), two("linux/32amd64-4s2n4c-cgroup2");
  write_file(one.dir.path() / "dev/cpuset/dummy/cpus", "2-3,7\n");
  write_file(two.dir.path() / "cgroup/unified/uid_2008/job_15389/step_0/cpuset.cpus.effective", "1,4-5\n");
  const Host v1 = survey_live(one.dir.path()), v2 = survey_live(two.dir.path());
  CHECK(usable_cpus(v1) == Cpus{2, 3, 7});
  CHECK(usable_cpus(v2) == Cpus{1, 4, 5});
  for (const Host* host : {&v1, &v2}) {
    const Topology guest = topology("q6600");
    const Mapping mapping = map_guests(*host, {{&guest}, false}).front();
    CHECK(mapping.overcommitted);
    const Cpus cpus = usable_cpus(*host);
    CHECK(mapping.cpu_of_vcpu == Cpus{cpus[0], cpus[1], cpus[2], cpus[0]});
    judge("three CPUs", *host);
  }
}

TEST_CASE("Offline CPUs are told and never taken") {
  REQUIRE_CAPTURES();
  const Host& host = survey_capture("linux/16em64t-4s2c2t-offlines");
  Cpus offline;  // hwloc's own output: "4 processors not represented in topology: 0x00006024"
  for (const auto& cpu : host.cpus) {
    if (!cpu.online) offline.push_back(cpu.os);
  }
  CHECK(offline == Cpus{2, 5, 13, 14});
  CHECK_THAT(draw(host), ContainsSubstring("CPUs 2,5,13-14"));
}

TEST_CASE("A node that lost its memory holds no guest's") {
  REQUIRE_CAPTURES();
  const Unpacked unpacked("linux/8amd64-4n2c");
  write_file(unpacked.dir.path() / "sys/devices/system/node/node0/meminfo", "\nNode 0 MemTotal:      0 kB\n");
  const Host host = survey_live(unpacked.dir.path());
  REQUIRE(host.nodes.at(0).memory == 0u);
  CHECK(host.distances.at(0).at(1) == 20);
  Topology guest = machine(3, 2, 1, {cache(2, 1)});
  guest.nodes = {{{0, 1}, 64u << 20}, {{2, 3}, 64u << 20}, {{4, 5}, 64u << 20}};
  const Mapping mapping = map_guests(host, {{&guest}, true}).front();
  for (const auto& node : mapping.node_of_guest_node) CHECK(node != 0u);
  judge("memory-less", host);
}

TEST_CASE("Cores of different kinds are told by name") {
  REQUIRE_CAPTURES();
  const Host& host = survey_capture("x86+linux/5intel64-hybrid-lakefield");
  std::map<std::string, int> kinds;
  for (const auto& cpu : host.cpus) ++kinds[cpu.kind_name];
  CHECK(kinds == std::map<std::string, int>{{"IntelAtom", 4}, {"IntelCore", 1}});
  const Topology guest = machine(1, 4, 1, {cache(2, 4)});
  const Mapping mapping = map_guests(host, {{&guest}, true}).front();
  for (const unsigned os : mapping.cpu_of_vcpu) CHECK(find_cpu(host, os)->kind_name == "IntelAtom");
}

TEST_CASE("No capture keeps names of one machine once it is scrubbed") {
  REQUIRE_CAPTURES();
  int named = 0;
  for (const auto& entry : fs::directory_iterator(sources().tests() / "xml")) {
    if (entry.path().extension() != ".xml") continue;
    INFO(entry.path().filename().string());
    const std::string before = read_file(entry.path());
    named += before.find("HostName") != std::string::npos || before.find("DMI") != std::string::npos ? 1 : 0;
    const std::string after = scrub_capture(entry.path());
    for (const std::string word :
         {"HostName", "DMI", "Serial", "UUID", "OSRelease", "ProcessName", "PCIDev", "OSDev"}) {
      INFO(word);
      CHECK(after.find(word) == std::string::npos);
    }
  }
  CHECK(named > 0);
}
