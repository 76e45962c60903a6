// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "rig/guest/proc.h"
#include "rig/guest/view.h"
#include "text_of.h"
#include "tree_fixture.h"

using rig::guest_test::text_of;
using rig::guest_test::TreeFixture;

namespace {

std::string view_of(const TreeFixture& tree, const char* kernel_log = "") {
  struct utsname names = {};
  std::strcpy(names.release, "2.6.22.19");
  std::strcpy(names.machine, "x86_64");
  std::strcpy(names.version, "#1 SMP");
  const std::string root = tree.root();
  return text_of([&](struct text* out) {
    const struct view_source from = {.root = root.c_str(), .uname = &names, .kernel_log = kernel_log};
    view_add(out, &from);
  });
}

bool has_line(const std::string& view, const std::string& line) {
  return ("\n" + view).find("\n" + line + "\n") != std::string::npos;
}

size_t count_lines(const std::string& view, const std::string& beginning) {
  size_t count = 0;
  std::istringstream lines(view);
  for (std::string line; std::getline(lines, line);) count += line.starts_with(beginning);
  return count;
}

}  // namespace

TEST_CASE("the view of a 2.6.22 tree comes from hex masks, with ? for what that kernel lacks") {
  const TreeFixture tree("linux-2.6.22-q6600");
  const std::string view = view_of(tree);
  CHECK(has_line(view, "release 2.6.22.19"));
  CHECK(has_line(view, "machine x86_64"));
  CHECK(has_line(view, "version #1 SMP"));
  CHECK(has_line(view, "config-sha256 ?"));
  CHECK(has_line(view, "cmdline console=ttyS0 panic=-1"));
  CHECK(has_line(view, "memory-kb 505400"));
  CHECK(has_line(view, "clocksource acpi_pm"));
  CHECK(has_line(view, "lapic ok"));
  CHECK(has_line(view, "cpu 0 package=0 die=? cluster=? core=0 node=0 apic=? siblings=0"));
  CHECK(has_line(view, "cpu 3 package=0 die=? cluster=? core=3 node=1 apic=? siblings=3"));
  CHECK(has_line(view, "cache cpu=0 level=1 type=Data size-kb=32 line=64 ways=8 shared=0"));
  CHECK(has_line(view, "cache cpu=1 level=2 type=Unified size-kb=4096 line=64 ways=16 shared=0-1"));
  CHECK(has_line(view, "cache cpu=2 level=2 type=Unified size-kb=4096 line=64 ways=16 shared=2-3"));
  CHECK(has_line(view, "node 0 cpus=0-1 distances=10,20"));
  CHECK(has_line(view, "node 1 cpus=2-3 distances=20,10"));
  CHECK(has_line(view, "domain cpu=0 level=0 name=? span=0-1"));
  CHECK(has_line(view, "domain cpu=3 level=0 name=? span=2-3"));
  CHECK(has_line(view, "domain cpu=3 level=1 name=? span=0-3"));
  CHECK(count_lines(view, "cpu ") == 4);
  CHECK(count_lines(view, "cache ") == 12);
  CHECK(count_lines(view, "domain ") == 8);
}

TEST_CASE("the view of a 6.14 tree has dies, names of domains, nodes without CPUs, and no offline CPU") {
  const TreeFixture tree("linux-6.14-two-dies");
  const std::string view = view_of(tree);
  // FIPS 180-4's one-block message is "abc"; the fixture's file ends in a newline as well, so the
  // value is that of `printf 'abc\n' | sha256sum`.
  CHECK(has_line(view, "config-sha256 edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb"));
  CHECK(has_line(view, "cpu 0 package=0 die=0 cluster=? core=0 node=0 apic=? siblings=0-1"));
  CHECK(has_line(view, "cpu 6 package=1 die=1 cluster=? core=0 node=1 apic=? siblings=6-7"));
  CHECK(has_line(view, "cache cpu=5 level=3 type=Unified size-kb=32768 line=64 ways=? shared=4-5"));
  CHECK(has_line(view, "node 0 cpus=0-3 distances=10,21,14"));
  CHECK(has_line(view, "node 2 cpus= distances=14,30,10"));
  CHECK(has_line(view, "domain cpu=0 level=0 name=SMT span=0-1"));
  CHECK(has_line(view, "domain cpu=7 level=1 name=PKG span=4-7"));
  CHECK(has_line(view, "domain cpu=7 level=2 name=NUMA span=0-7"));
  CHECK(count_lines(view, "cpu ") == 8);
  CHECK(count_lines(view, "domain ") == 24);
}

TEST_CASE("APIC ids come from the paragraph of each CPU in /proc/cpuinfo") {
  const TreeFixture tree("linux-2.6.22-q6600");
  std::ofstream(tree.root() + "/proc/cpuinfo")
      << "processor\t: 0\nvendor_id\t: GenuineIntel\napicid\t\t: 0\ninitial apicid\t: 0\n\n"
      << "processor\t: 3\nvendor_id\t: GenuineIntel\napicid\t\t: 6\ninitial apicid\t: 7\n\n";
  const std::string view = view_of(tree);
  CHECK(has_line(view, "cpu 0 package=0 die=? cluster=? core=0 node=0 apic=0 siblings=0"));
  CHECK(has_line(view, "cpu 1 package=0 die=? cluster=? core=1 node=0 apic=? siblings=1"));
  CHECK(has_line(view, "cpu 3 package=0 die=? cluster=? core=3 node=1 apic=6 siblings=3"));
}

TEST_CASE("without debugfs the names of domains come from schedstat version 17") {
  const TreeFixture tree("linux-6.14-two-dies");
  tree.remove("sys/kernel/debug");
  CHECK(has_line(view_of(tree), "domain cpu=7 level=1 name=PKG span=4-7"));
}

TEST_CASE("without schedstat the domains have names and no span") {
  const TreeFixture tree("linux-6.14-two-dies");
  tree.remove("proc/schedstat");
  CHECK(has_line(view_of(tree), "domain cpu=7 level=1 name=PKG span=?"));
}

TEST_CASE("a kernel without NUMA, caches and clocksource shows ? and no such lines") {
  const TreeFixture tree("linux-2.6.22-q6600");
  tree.remove("sys/devices/system/node");
  tree.remove("sys/devices/system/clocksource");
  tree.remove("proc/meminfo");
  for (const char* cpu : {"cpu0", "cpu1", "cpu2", "cpu3"})
    tree.remove(std::string("sys/devices/system/cpu/") + cpu + "/cache");
  const std::string view = view_of(tree, nullptr);
  CHECK(has_line(view, "cpu 0 package=0 die=? cluster=? core=0 node=? apic=? siblings=0"));
  CHECK(has_line(view, "clocksource ?"));
  CHECK(has_line(view, "memory-kb ?"));
  CHECK(has_line(view, "lapic ?"));
  CHECK(count_lines(view, "node ") == 0);
  CHECK(count_lines(view, "cache ") == 0);
}

TEST_CASE("the view carries the warnings of the kernel's log") {
  const TreeFixture tree("linux-2.6.22-q6600");
  const std::string view = view_of(tree,
                                   "<6>[    0.000000] Linux version 6.1\n"
                                   "<4>[    0.100000] APIC timer disabled due to verification failure\n"
                                   "<4>[    1.000000] WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2\n");
  CHECK(has_line(view, "lapic disabled: APIC timer disabled due to verification failure"));
  CHECK(has_line(view, "warning WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2"));
}

TEST_CASE("a listening port is found in /proc/net/tcp, an established one is not") {
  const char* table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 00000000:1B5B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1234 1\n"
      "   1: 0100007F:9C40 0100007F:1B5C 01 00000000:00000000 00:00000000 00000000     0        0 1235 1\n";
  CHECK(proc_tcp_listens(table, 7003));
  CHECK_FALSE(proc_tcp_listens(table, 40000));
  CHECK_FALSE(proc_tcp_listens(table, 7004));
  CHECK_FALSE(proc_tcp_listens("", 7003));
}

TEST_CASE("a listening port is found in /proc/net/tcp6") {
  const char* table =
      "  sl  local_address                         remote_address                        st tx_queue rx_queue\n"
      "   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000\n";
  CHECK(proc_tcp_listens(table, 8080));
  CHECK_FALSE(proc_tcp_listens(table, 80));
}

TEST_CASE("the last CPU is the 39th field of /proc/PID/stat, whatever the process is called") {
  std::string line = "77 (a) b (c) Z";
  for (int field = 4; field < 39; field++) line += " " + std::to_string(field);
  CHECK(proc_stat_processor((line + " 5 0 0\n").c_str()) == 5);
  CHECK(proc_stat_processor(line.c_str()) == -1);
  CHECK(proc_stat_processor("") == -1);
}
