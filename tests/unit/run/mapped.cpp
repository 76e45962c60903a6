// SPDX-License-Identifier: GPL-2.0-or-later
// From a mapping to pins and to the record of fidelity.
#include "rig/run/mapped.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <fstream>

#include "../topology/machines.h"
#include "rig/base/base.h"

using namespace rig;
using Catch::Matchers::WithinAbs;

namespace {

Host of_nodes(std::size_t nodes) {
  Host host;
  for (unsigned i = 0; i < nodes; ++i) host.nodes.push_back({.os = i});
  return host;
}

Topology two_nodes() {
  Topology machine = q6600();
  machine.nodes = {{{0, 1}, 512u << 20}, {{2, 3}, 512u << 20}};
  machine.distances = {{10, 20}, {20, 10}};
  return machine;
}

Mapping onto(std::vector<unsigned> cpus, std::vector<std::optional<unsigned>> nodes) {
  return {.cpu_of_vcpu = std::move(cpus), .emulator = {5, 4}, .node_of_guest_node = std::move(nodes), .exact = true};
}

const MemoryMeans plenty{
    .available = std::uint64_t{64} << 30, .huge_page = 2u << 20, .huge_pages = {{0, 256}, {1, 256}}, .may_lock = true};

}  // namespace

TEST_CASE("Each guest CPU has its one host CPU, QEMU's other threads have theirs in order") {
  const auto pins = pinning_of(onto({2, 3, 0, 1}, {0}), q6600(), of_nodes(1), {}, Accelerator::TcgMt);
  CHECK(pins == Pinning{.vcpus = {{2}, {3}, {0}, {1}}, .emulator = {4, 5}});
}

TEST_CASE("Memory is given a node where the host has several, and only asked for where it does not fit") {
  CHECK(pinning_of(onto({0, 1, 2, 3}, {0}), q6600(), of_nodes(1), {}, Accelerator::Kvm).memory.empty());
  Mapping mapping = onto({0, 1, 2, 3}, {0, 1});
  auto pins = pinning_of(mapping, two_nodes(), of_nodes(2), {}, Accelerator::Kvm);
  CHECK(pins.memory.at(1) == Pinning::Memory{.host_node = 1, .mode = Pinning::MemoryMode::Strict});
  mapping.lost = {{.kind = LostKind::Memory, .guest_node = 1u}};
  pins = pinning_of(mapping, two_nodes(), of_nodes(2), {}, Accelerator::Kvm);
  CHECK(pins.memory.at(0)->mode == Pinning::MemoryMode::Strict);
  CHECK(pins.memory.at(1)->mode == Pinning::MemoryMode::Preferred);
  mapping.node_of_guest_node = {0, std::nullopt};
  CHECK_FALSE(pinning_of(mapping, two_nodes(), of_nodes(2), {}, Accelerator::Kvm).memory.at(1));
}

TEST_CASE("Measured guests have huge pages where each node has enough free, and locked memory where there is room") {
  const Mapping mapping = onto({0, 1, 2, 3}, {0, 1});
  auto pins = pinning_of(mapping, two_nodes(), of_nodes(2), plenty, Accelerator::Kvm);
  CHECK(pins.huge_page == 2u << 20);  // 512 MiB a node are 256 pages of 2 MiB
  CHECK(pins.locked);
  CHECK(pinning_of(mapping, two_nodes(), of_nodes(2), plenty, Accelerator::TcgMt).huge_page == 0);

  MemoryMeans less = plenty;
  less.huge_pages[1] = 255;
  CHECK(pinning_of(mapping, two_nodes(), of_nodes(2), less, Accelerator::Kvm).huge_page == 0);
  CHECK(pinning_of(onto({0, 1, 2, 3}, {0, 0}), two_nodes(), of_nodes(2), plenty, Accelerator::Kvm).huge_page == 0);
  less.available = memory_bytes(two_nodes());
  CHECK_FALSE(pinning_of(mapping, two_nodes(), of_nodes(2), less, Accelerator::Kvm).locked);
  less = plenty;
  less.may_lock = false;
  CHECK_FALSE(pinning_of(mapping, two_nodes(), of_nodes(2), less, Accelerator::Kvm).locked);
}

TEST_CASE("The record says what is held, what is lost, and what the threads met") {
  const HostMap map(of_nodes(1), {}, Accelerator::Kvm, false);
  Mapping mapping = onto({2, 3, 2, 3}, {0});
  mapping.exact = false;
  mapping.overcommitted = true;
  mapping.lost = {{.kind = LostKind::Core, .pairs = {{0, 2}}, .text = "CPUs 0 and 2 have one host CPU"},
                  {.kind = LostKind::Cache, .pairs = {{0, 3}}, .text = "CPUs 0 and 3 share no cache"}};
  mapping.notes = {"L2 is carried by an L3"};
  const MappedGuest guest{mapping, pinning_of(mapping, q6600(), map.host(), {}, Accelerator::Kvm)};
  PinsSeen seen{.looks = 3, .watched = std::chrono::seconds(2), .vcpus = std::vector<ThreadsSeen>(2), .steal = 0.015};
  for (auto& vcpu : seen.vcpus) {
    vcpu.migrations = 1;
    vcpu.migrations_known = vcpu.times_known = true;
    vcpu.involuntary_switches = 7;
    vcpu.ran = std::chrono::milliseconds(300);
    vcpu.waited = std::chrono::milliseconds(100);
  }
  const auto record = fidelity_of(map, guest, q6600(), {.governor = "powersave"}, seen);
  CHECK(record.machine == "q6600");
  CHECK(record.accelerator == "kvm");
  CHECK(record.mapping == "partial");
  CHECK(record.pins == std::vector<std::string>{"2", "3", "2", "3"});
  CHECK(record.emulator == "4-5");
  CHECK(record.overcommitted);
  CHECK(record.held == std::vector<std::string>{"nearness", "node", "memory", "package"});
  CHECK(record.lost ==
        std::vector<std::string>{"core: CPUs 0 and 2 have one host CPU", "cache: CPUs 0 and 3 share no cache"});
  CHECK(record.notes == mapping.notes);
  CHECK(record.controls.at("governor") == "powersave");
  CHECK(record.controls.at("boost") == "absent");
  CHECK_THAT(record.seen.at("steal"), WithinAbs(1.5, 1e-9));
  CHECK_THAT(record.seen.at("vcpus-waited"), WithinAbs(25, 1e-9));
  CHECK(record.seen.at("migrations") == 2);
  CHECK(record.seen.at("involuntary-switches") == 14);
  CHECK_FALSE(record.seen.contains("io-pressure"));  // this host did not tell
}

TEST_CASE("Guests of several attempts side by side take turns, and the record says so") {
  const HostMap map(of_nodes(1), {}, Accelerator::TcgMt, false, 2);
  const Mapping mapping = onto({0, 1, 2, 3}, {0});
  const MappedGuest guest{mapping, pinning_of(mapping, q6600(), map.host(), {}, Accelerator::TcgMt)};
  const auto record = fidelity_of(map, guest, q6600(), {}, std::nullopt);
  CHECK(record.overcommitted);
  CHECK(record.notes == std::vector<std::string>{"up to 2 guests ran side by side on the same host CPUs"});
}

TEST_CASE("Nothing of the host bears on virtual time, and --strict is refused there") {
  Plan plan;
  CHECK_FALSE(map_plan(plan, Accelerator::Model, false, 1));
  CHECK_THROWS_AS(map_plan(plan, Accelerator::Tcg, true, 1), HostLacks);
  CHECK_THROWS_AS(map_plan(plan, Accelerator::TcgMt, true, 2), InputError);
  CHECK(unmapped(q6600(), Accelerator::Model).mapping == "none");
}

TEST_CASE("What can back memory is read from the kernel's own files") {
  const TempDir root(std::filesystem::temp_directory_path());
  const auto put = [&](const std::string& file, const std::string& text) {
    make_directories((root.path() / file).parent_path());
    write_file(root.path() / file, text);
  };
  // as /proc/meminfo of Linux 6.18 has it
  put("proc/meminfo",
      "MemTotal:       24683652 kB\nMemAvailable:   23810112 kB\nHugePages_Free:      300\nHugepagesize:       2048 "
      "kB\n");
  put("proc/mounts", "proc /proc proc rw 0 0\nhugetlbfs /dev/hugepages hugetlbfs rw,relatime 0 0\n");
  put("sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages", "100\n");
  put("sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages", "200\n");
  put("sys/devices/system/node/online", "0-1\n");
  MemoryMeans means = survey_memory(root.path());
  CHECK(means.available == std::uint64_t{23810112} * 1024);
  if (::geteuid() != 0) SKIP("libvirt gives huge pages to root's guests alone");
  CHECK(means.huge_page == 2u << 20);
  CHECK(means.huge_pages == std::map<unsigned, std::uint64_t>{{0, 100}, {1, 200}});
  put("proc/mounts", "proc /proc proc rw 0 0\n");
  CHECK(survey_memory(root.path()).huge_page == 0);
}
