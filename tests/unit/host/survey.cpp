// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "rig/base/base.h"
#include "rig/host/host.h"
#include "rig/host/read_conditions.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

using Cpus = std::vector<unsigned>;

struct Copy {
  TempDir dir{fs::temp_directory_path(), "rig-host"};
  void add(const std::string& name, const std::string& text) const {
    make_directories((dir.path() / name).parent_path());
    write_file(dir.path() / name, text);
  }
};

// What taskset leaves for as long as the object lives.
class Affinity {
 public:
  explicit Affinity(int cpu) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    good = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~Affinity() { sched_setaffinity(0, sizeof before_, &before_); }
  bool good = false;

 private:
  cpu_set_t before_;
};

// Written after the form of hwloc 2's XML; all that is of one machine says so.
const char* const with_secrets = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x00000003" complete_cpuset="0x0000000f" allowed_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1" name="secret-name">
    <info name="DMIProductName" value="secret-product"/>
    <info name="DMIProductSerial" value="secret-serial"/>
    <info name="DMIChassisAssetTag" value="secret-tag"/>
    <info name="Backend" value="Linux"/>
    <info name="HostName" value="secret-host"/>
    <info name="OSRelease" value="secret-kernel"/>
    <info name="Architecture" value="x86_64"/>
    <info name="ProcessName" value="secret-process"/>
    <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2">
      <info name="CPUModel" value="A processor"/>
      <info name="Comment" value="secret-comment"/>
      <object type="NUMANode" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="9" local_memory="1073741824"/>
      <object type="L3Cache" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3" cache_size="8388608" depth="3" cache_linesize="64" cache_associativity="16" cache_type="0">
        <object type="Core" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4">
          <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5"/>
        </object>
        <object type="Core" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6">
          <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7"/>
        </object>
      </object>
    </object>
    <object type="Misc" gp_index="8" name="secret-misc"/>
  </object>
</topology>
)";

std::string replaced(std::string text, const std::string& before, const std::string& after) {
  const auto at = text.find(before);
  REQUIRE(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

}  // namespace

TEST_CASE("A synthetic host has the CPUs, caches, packages and nodes of its description") {
  const Host host = survey_synthetic("package:2 numa:1(memory=8GiB) l3:2 core:2 pu:2");
  CHECK(host.cpus.size() == 16);
  CHECK(host.packages.size() == 2);
  CHECK(host.caches.size() == 4);
  CHECK(host.caches[1].cpus == Cpus{4, 5, 6, 7});
  CHECK(host.nodes.size() == 2);
  CHECK(host.nodes[1].memory == std::uint64_t{8} << 30);
  CHECK(host.nodes[1].cpus == Cpus{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(host.cpus[2].core == host.cpus[3].core);
  CHECK(host.cpus[3].core != host.cpus[4].core);
  CHECK_FALSE(survey_synthetic("package:1 l3:1 core:2 pu:1").nodes.at(0).memory);
}

TEST_CASE("What is no host is refused with what is allowed") {
  CHECK_THROWS_AS(survey_synthetic("package:two"), InputError);
  try {
    survey("/nowhere/at/all.xml");
    FAIL("it was surveyed");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("live (this machine)"));
    CHECK_THAT(error.what(), ContainsSubstring("synthetic:"));
  }
  const Copy copy;
  copy.add("host.xml", "<html/>");
  CHECK_THROWS_AS(survey((copy.dir.path() / "host.xml").string()), InputError);
  CHECK_THROWS_AS(survey(copy.dir.path().string()), InputError);
  CHECK_THROWS_AS(survey_live(copy.dir.path()), WorkError);
}

TEST_CASE("A damaged capture on which hwloc itself breaks is refused like any other") {
  // found by the fuzz target host
  const std::string capture = read_file(std::string(RIG_SOURCE_DIR) + "/tests/fuzz/corpus/host/capture-broken.xml");
  const TempDir directory(fs::temp_directory_path());
  write_file(directory.path() / "broken.xml", capture);
  CHECK_THROWS_WITH(survey_xml(directory.path() / "broken.xml"), ContainsSubstring("broken.xml is no hwloc XML"));
}

TEST_CASE("The live host is confined to what this process may use") {
  const Host host = survey("live");
  cpu_set_t mask;
  REQUIRE(sched_getaffinity(0, sizeof mask, &mask) == 0);
  Cpus allowed;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) allowed.push_back(cpu);
  }
  CHECK(usable_cpus(host) == allowed);
  CHECK_FALSE(host.nodes.empty());
  const int last = static_cast<int>(allowed.back());
  const Affinity affinity(last);
  REQUIRE(affinity.good);
  const Host confined = survey_live();
  CHECK(usable_cpus(confined) == Cpus{allowed.back()});
  CHECK(confined.cpus.size() == host.cpus.size());
}

TEST_CASE("Conditions are told in the kernel's words, and what is not there is absent") {
  const Copy copy;
  const std::string cpu = "sys/devices/system/cpu/";
  copy.add(cpu + "cpu0/cpufreq/scaling_governor", "performance\n");
  copy.add(cpu + "cpu1/cpufreq/scaling_governor", "powersave\n");
  copy.add(cpu + "cpu0/cpufreq/scaling_driver", "intel_pstate\n");
  copy.add(cpu + "intel_pstate/no_turbo", "1\n");
  copy.add(cpu + "smt/control", "forceoff\n");
  copy.add(cpu + "isolated", "2-3\n");
  copy.add(cpu + "nohz_full", "  (null)\n");
  copy.add(cpu + "cpu0/cpuidle/state0/name", "POLL\n");
  copy.add(cpu + "cpu0/cpuidle/state0/disable", "0\n");
  copy.add(cpu + "cpu0/cpuidle/state1/name", "C1\n");
  copy.add(cpu + "cpu0/cpuidle/state1/disable", "0\n");
  copy.add(cpu + "cpu0/cpuidle/state2/name", "C6\n");
  copy.add(cpu + "cpu0/cpuidle/state2/disable", "1\n");
  copy.add("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  copy.add("sys/kernel/mm/ksm/run", "0\n");
  copy.add("sys/module/kvm/parameters/halt_poll_ns", "200000\n");
  copy.add("proc/sys/kernel/numa_balancing", "1\n");
  copy.add("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n");
  copy.add("proc/meminfo", "MemTotal: 1 kB\nHugePages_Total:      12\nHugePages_Free:       10\n");
  copy.add("proc/pressure/cpu", "some avg10=1.25 avg60=0.50 avg300=0.10 total=9\nfull avg10=0.00\n");
  const Conditions found = read_conditions(copy.dir.path());
  CHECK(found.governor == "performance, powersave");
  CHECK(found.frequency == "intel_pstate");
  CHECK(found.boost == "off");
  CHECK(found.smt == "forceoff");
  CHECK(found.isolated == "2-3");
  CHECK(found.nohz_full == "");
  CHECK(found.c_states == "POLL C1");
  CHECK(found.thp == "madvise");
  CHECK(found.ksm == "0");
  CHECK(found.halt_poll_ns == 200000);
  CHECK(found.numa_balancing == "1");
  CHECK(found.nested == "yes");
  CHECK(found.huge_pages == 10);
  CHECK(found.pressure == 1.25);
  CHECK_FALSE(found.steal);
  const Copy empty;
  CHECK(read_conditions(empty.dir.path()) == Conditions{});
  for (const auto& [name, value] : lines(Conditions{})) CHECK(value == "absent");
}

TEST_CASE("A condition's line reads back as the condition") {
  Conditions some;
  some.governor = "schedutil";
  some.isolated = "";
  some.steal = 1.5;
  some.halt_poll_ns = 0;
  Conditions back;
  for (const auto& [name, value] : lines(some)) CHECK(set_condition(back, name, value));
  CHECK(back == some);
  CHECK_FALSE(set_condition(back, "phase of the moon", "full"));
  CHECK_FALSE(set_condition(back, "steal", "much"));
}

TEST_CASE("Idle is what hardly ran between two readings of /proc/stat") {
  const auto before =
      parse_proc_stat("cpu  100 0 0 100 0 0 0 0 0 0\ncpu0 50 0 0 50 0 0 0 0 0 0\ncpu1 50 0 0 50 0 0 0 0\n");
  const auto after = parse_proc_stat(
      "cpu  110 0 0 200 0 0 0 5 0 0\ncpu0 51 0 0 95 4 0 0 0 9 0\ncpu1 59 0 0 91 0 0 0 5\nintr 5\nctxt 7\n");
  CHECK(after.at(-1).steal == 5);
  CHECK(after.at(0).total == 150);  // guest time is within user time
  CHECK(idle_between(before, after) == std::set<int>{0});
}

TEST_CASE("What a capture says is told on one line, and what cannot be is not understood") {
  const Copy copy;
  std::string xml = with_secrets;
  const auto put = [&](const std::string& before, const std::string& after) { xml = replaced(xml, before, after); };
  put("A processor", "A&#10;processor&#9;" + std::string(5000, 'x'));
  put("local_memory=\"1073741824\"", "local_memory=\"-5\"");
  put("<info name=\"Backend\" value=\"Linux\"/>",
      "<info name=\"rig:governor\" value=\"performance&#10;mapping: exact\"/>"
      "<info name=\"rig:steal\" value=\"1e20 %\"/><info name=\"rig:busy\" value=\"-1 %\"/>"
      "<info name=\"rig:isolated CPUs\" value=\"0-4000000000\"/>");
  copy.add("host.xml", xml);
  const Host host = survey_xml(copy.dir.path() / "host.xml");
  CHECK(host.title.starts_with("A processor xxx"));
  CHECK(host.title.size() < 300);
  CHECK(host.conditions.governor == "performance mapping: exact");
  CHECK_FALSE(host.conditions.steal);
  CHECK_FALSE(host.conditions.busy);
  CHECK_FALSE(host.nodes.at(0).memory);
  std::string notes;
  for (const auto& note : host.notes) notes += note + "\n";
  CHECK_THAT(notes, ContainsSubstring("'steal' is not understood") && ContainsSubstring("'busy' is not understood"));
  CHECK_THAT(notes, ContainsSubstring("memory of node 0 is not understood"));
  CHECK_THAT(notes, ContainsSubstring("isolated is not understood"));
}

TEST_CASE("A synthetic host of more CPUs than Linux can have is refused before any of them is made") {
  for (const char* many : {"core:1000000 pu:1000000", "pu:99999999999999999999999", "package:2 core:4097", "90000"})
    CHECK_THROWS_AS(survey_synthetic(many), InputError);
  CHECK(usable_cpus(survey_synthetic("package:2 numa:1(memory=99999999) core:16 pu:2")).size() == 64);
}

TEST_CASE("A capture whose sets of CPUs have no end is refused") {
  const Copy copy;
  copy.add("host.xml", replaced(with_secrets, "complete_cpuset=\"0x0000000f\"", "complete_cpuset=\"0xf...f\""));
  CHECK_THROWS_AS(survey_xml(copy.dir.path() / "host.xml"), InputError);
}

TEST_CASE("A capture of this host reads back as this host and names no machine") {
  const std::string xml = capture_host();
  char name[256] = {};
  REQUIRE(gethostname(name, sizeof name - 1) == 0);
  for (const std::string word : {"HostName", "DMI", "Serial", "UUID", "OSRelease", "OSVersion", "ProcessName", "PCI"}) {
    INFO(word);
    CHECK(xml.find(word) == std::string::npos);
  }
  if (std::string(name).size() > 2) CHECK(xml.find(name) == std::string::npos);
  const Copy copy;
  copy.add("host.xml", xml);
  const Host live = survey_live(), read = survey_xml(copy.dir.path() / "host.xml");
  CHECK(usable_cpus(read) == usable_cpus(live));
  CHECK(read.caches == live.caches);
  CHECK(read.packages == live.packages);
  CHECK(read.nodes == live.nodes);
  CHECK(read.conditions.isolated == live.conditions.isolated);
  CHECK(read.conditions.thp == live.conditions.thp);
  CHECK(read.conditions.steal.has_value());
  CHECK(read.notes == live.notes);
}

TEST_CASE("A capture of lstopo is confined as the machine was, and loses its names when scrubbed") {
  const Copy copy;
  copy.add("host.xml", with_secrets);
  const Host host = survey_xml(copy.dir.path() / "host.xml");
  CHECK(host.title == "A processor");
  CHECK(host.cpus.size() == 4);
  CHECK(usable_cpus(host) == Cpus{0});
  CHECK(host.cpus[1].online);
  CHECK_FALSE(host.cpus[1].allowed);
  CHECK_FALSE(host.cpus[2].online);
  CHECK(host.nodes.at(0).memory == std::uint64_t{1} << 30);
  const std::string scrubbed = scrub_capture(copy.dir.path() / "host.xml");
  CHECK(scrubbed.find("secret") == std::string::npos);
  CHECK_THAT(scrubbed, ContainsSubstring("A processor"));
  copy.add("scrubbed.xml", scrubbed);
  Host again = survey_xml(copy.dir.path() / "scrubbed.xml");
  again.source = host.source;
  CHECK(again == host);
}

TEST_CASE("A drawing of a host says what may not be used") {
  Host host = survey_synthetic("package:1 numa:1(memory=1536MiB) l3:1 core:4 pu:1");
  host.cpus[1].allowed = false;
  host.cpus[2].online = false;
  const std::string text = draw(host);
  CHECK_THAT(text, ContainsSubstring("4 CPUs, 2 usable"));
  CHECK_THAT(text, ContainsSubstring("not allowed to this process: CPUs 1\n"));
  CHECK_THAT(text, ContainsSubstring("offline, or hidden from the capture: CPUs 2\n"));
  CHECK_THAT(text, ContainsSubstring("1.5 GiB"));
}
