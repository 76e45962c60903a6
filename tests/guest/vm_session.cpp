// SPDX-License-Identifier: GPL-2.0-or-later
// Real guests, from create to their end, by each of the ways they end.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <future>
#include <thread>

#include "rig/base/base.h"
#include "rig/topology/guest_view.h"
#include "rig/vm/libvirt_root.h"
#include "rig/vm/process_table.h"
#include "rig/vm/vm.h"
#include "vm_guest.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A guest in virtual time boots, says what it is, and powers off") {
  Guest guest({.work = {"say", "20000"}});
  const Answer answer = guest.run();
  CHECK(answer.session.end == DomainEnd::PowerOff);
  CHECK(answer.results.fault.empty());
  REQUIRE(answer.results.complete);
  const SessionResult& s = answer.session;
  CHECK((0ms < s.created && s.created < s.booted && s.booted <= s.finished && s.finished <= s.stopped));
  REQUIRE(answer.results.find("out/work/0") != nullptr);
  CHECK_THAT(*answer.results.find("out/work/0"), ContainsSubstring("line 19999 of a payload"));
  CHECK(parse_guest_view(*answer.results.find("view")).clocksource.substr(0, 3) == "tsc");
  CHECK_THAT(answer.session.qemu_log, ContainsSubstring("-icount shift=2,sleep=off"));
  CHECK(guest.processes().empty());
}

TEST_CASE("The same guest in virtual time gives the same bytes twice, watched or not, on a busy host too") {
  const Asked asked{.work = {"say", "2000"}};
  Asked watched = asked;
  watched.limits.silence = 600s;  // has QEMU asked for the guest's clock every second
  const Answer first = Guest(asked).run();
  std::stop_source enough;
  std::vector<std::jthread> load;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    load.emplace_back([token = enough.get_token()] {
      while (!token.stop_requested()) {
      }
    });
  const Answer second = Guest(watched).run();
  enough.request_stop();
  REQUIRE(first.results.complete);
  CHECK(sha256(first.bytes) == sha256(second.bytes));
  CHECK(sha256(first.console) == sha256(second.console));
}

TEST_CASE("A guest with a thread for each vCPU sends its results over virtio, with beats") {
  Guest guest({.accelerator = Accelerator::TcgMt,
               .transport = ResultsTransport::Virtio,
               .work = {"say", "20000"},
               .limits = {.wall = 180s, .silence = 30s}});
  const Answer answer = guest.run();
  CHECK(answer.session.end == DomainEnd::PowerOff);
  CHECK(answer.results.complete);
  CHECK(parse_guest_view(*answer.results.find("view")).warnings == std::vector<std::string>{});
}

TEST_CASE("Every machine is seen by its guest as asked") {
  for (const std::string name : {"q6600", "q6600-numa2", "dell-1950", "dell-1950-numa2"}) {
    INFO(name);
    Guest guest({.topology = test_topology(name)});
    const Answer answer = guest.run();
    REQUIRE(answer.results.complete);
    CHECK(differences(guest.spec().topology, parse_guest_view(*answer.results.find("view"))) ==
          std::vector<std::string>{});
  }
}

TEST_CASE("Machines of other shapes are seen as asked too") {
  Topology one_l2 = test_topology("q6600");  // a what-if: both dies on one L2
  one_l2.name = "q6600-one-l2";
  for (Cache& cache : one_l2.caches)
    if (cache.level == 2) cache.shared_by = 4;
  Topology threads = test_topology("q6600");  // private L2s below a shared L3, two threads a core
  threads.name = "nehalem";
  threads.cpu_model = "Nehalem";
  threads.cpuid_level = 0;
  threads.dies = 1, threads.cores = 4, threads.threads = 2;
  threads.nodes[0].cpus = {0, 1, 2, 3, 4, 5, 6, 7};
  for (Cache& cache : threads.caches) cache.shared_by = 1;
  threads.caches.push_back({.level = 3, .size = 16u << 20, .ways = 16, .shared_by = 4});
  one_l2.timing = threads.timing = std::nullopt;  // those figures are the Q6600's, and these are other machines
  for (const Topology& machine : {one_l2, threads}) {
    INFO(machine.name);
    REQUIRE(faults(machine).empty());
    Guest guest({.topology = machine});
    const Answer answer = guest.run();
    REQUIRE(answer.results.complete);
    CHECK(differences(machine, parse_guest_view(*answer.results.find("view"))) == std::vector<std::string>{});
  }
}

TEST_CASE("A pinned guest starts with its memory from one node, and locked where that is allowed, and stays put") {
  Topology machine = test_topology("q6600");
  machine.dies = machine.cores = 1;
  machine.nodes[0].cpus = {0};
  for (Cache& cache : machine.caches) cache.shared_by = 1;
  machine.timing = std::nullopt;
  cpu_set_t own;
  REQUIRE(::sched_getaffinity(0, sizeof own, &own) == 0);
  int cpu = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(cpu), &own)) ++cpu;
  Asked asked{.topology = machine, .accelerator = Accelerator::TcgMt, .transport = ResultsTransport::Virtio};
  asked.pinning = Pinning{.vcpus = {{cpu}}, .emulator = {cpu}, .memory = {Pinning::Memory{.host_node = 0}}};
  rlimit before{};  // libvirt lifts it; where that is not allowed there is no locked memory to try
  REQUIRE(::getrlimit(RLIMIT_MEMLOCK, &before) == 0);
  const rlimit lifted{RLIM_INFINITY, RLIM_INFINITY};
  asked.pinning->locked = ::setrlimit(RLIMIT_MEMLOCK, &lifted) == 0;
  ::setrlimit(RLIMIT_MEMLOCK, &before);
  Guest guest(asked);
  const Answer answer = guest.run();
  REQUIRE(answer.results.complete);
  REQUIRE(answer.session.pins);
  CHECK(answer.session.pins->mismatch.empty());
  CHECK(answer.session.pins->looks >= 2);
  CHECK(answer.session.pins->vcpus.at(0).ran_on == std::vector<int>{cpu});
  CHECK(answer.session.pins->vcpus.at(0).migrations == 0);
}

TEST_CASE("A panic is told from a power-off") {
  Guest guest({.work = {"panic"}});
  const Answer answer = guest.run();
  CHECK(answer.session.end == DomainEnd::Crashed);
  CHECK_FALSE(answer.results.complete);
  CHECK_THAT(answer.console, ContainsSubstring("Kernel panic - not syncing: sysrq triggered crash"));
}

TEST_CASE("The wall-clock limit ends a guest and leaves nothing") {
  Guest guest({.work = {"spin"}, .limits = {.wall = 12s}});
  const Answer answer = guest.run();
  CHECK(answer.session.end == DomainEnd::Killed);
  CHECK(answer.session.wall_limit);
  CHECK_FALSE(answer.session.silent);
  CHECK(answer.session.stopped < 16s);
  CHECK(guest.processes().empty());
}

TEST_CASE("A sleeper that outlasts the silence limit in virtual time is a hang, found in little host time") {
  Guest guest({.work = {"sleep"}, .limits = {.wall = 120s, .silence = 300s}});
  const Answer answer = guest.run();
  CHECK(answer.session.end == DomainEnd::Killed);
  CHECK(answer.session.silent);
  CHECK(answer.session.stopped < 100s);
}

TEST_CASE("A spinning guest in virtual time is a hang once its own clock passes the silence limit") {
  Guest guest({.work = {"spin"}, .limits = {.wall = 120s, .silence = 10s}});
  const Answer answer = guest.run();
  CHECK(answer.session.silent);
  CHECK_FALSE(answer.session.wall_limit);
}

TEST_CASE("A guest whose agent starves in real time is a hang; its beats kept it alive till then") {
  Guest guest({.accelerator = Accelerator::TcgMt,
               .transport = ResultsTransport::Virtio,
               .work = {"starve"},
               .limits = {.wall = 120s, .silence = 8s}});
  const Answer answer = guest.run();
  CHECK(answer.session.end == DomainEnd::Killed);
  CHECK(answer.session.silent);
  CHECK(answer.session.booted > 0ms);
}

TEST_CASE("A QEMU that is stopped from outside is ended soon, and that is no fault of the guest's") {
  Guest guest({.work = {"spin"}, .limits = {.wall = 150s, .silence = 300s}});
  auto running = guest.start();
  const auto stopped = std::chrono::steady_clock::now();
  for (const pid_t pid : guest.processes()) ::kill(pid, SIGSTOP);
  const Answer answer = running.get();
  CHECK(std::chrono::steady_clock::now() - stopped < 60s);
  CHECK(answer.session.end == DomainEnd::Failed);
  CHECK_FALSE(answer.session.silent);
  CHECK_THAT(answer.session.detail, ContainsSubstring("was stopped from outside"));
  CHECK(guest.processes().empty());
}

TEST_CASE("A guest that writes without end is ended when its console or its results reach their bound") {
  for (const auto& [port, where] : {std::pair("/dev/ttyS0", "to its console"), std::pair("/dev/ttyS1", "of results")}) {
    INFO(port);
    Guest guest({.work = {"flood", port}, .limits = {.wall = 180s, .console_bytes = 65536, .results_bytes = 65536}});
    const Answer answer = guest.run();
    CHECK(answer.session.end == DomainEnd::Killed);
    CHECK(answer.session.flooded);
    CHECK(answer.session.detail == fmt::format("the guest wrote more than 64 KiB {} and was ended", where));
    CHECK(answer.console.size() + answer.bytes.size() < 1u << 20);
    CHECK_FALSE(answer.results.complete);
  }
}

TEST_CASE("A console that cannot be made is a failed session that names it") {
  Guest guest({});
  make_directories(guest.spec().console / "in the way");
  const Answer answer = guest.run();
  CHECK(answer.session.end == DomainEnd::Failed);
  CHECK_THAT(answer.session.detail, ContainsSubstring("cannot replace " + guest.spec().console.string()));
}

TEST_CASE("A QEMU that is killed from outside is a failure of the machinery, not of the guest") {
  Guest guest({.work = {"spin"}});
  auto running = guest.start();
  REQUIRE(guest.processes().size() == 1);
  ::kill(guest.processes().front(), SIGKILL);
  const Answer answer = running.get();
  CHECK(answer.session.end == DomainEnd::Failed);
  CHECK_FALSE(answer.session.detail.empty());
  CHECK(answer.session.stopped < 60s);
}

TEST_CASE("A request to stop ends the guest and leaves nothing") {
  Guest guest({.work = {"spin"}});
  std::stop_source source;
  auto running = guest.start(source.get_token());
  const auto asked = std::chrono::steady_clock::now();
  source.request_stop();
  const Answer answer = running.get();
  CHECK(std::chrono::steady_clock::now() - asked < 5s);
  CHECK(answer.session.end == DomainEnd::Killed);
  CHECK(answer.session.detail == "interrupted");
  CHECK(guest.processes().empty());
}

TEST_CASE("Two guests run side by side, each with its own results") {
  Guest one({.work = {"say", "100"}}), two({.topology = test_topology("dell-1950"), .work = {"say", "200"}});
  auto first = std::async(std::launch::async, [&] { return one.run(); });
  auto second = std::async(std::launch::async, [&] { return two.run(); });
  const Answer a = first.get(), b = second.get();
  REQUIRE((a.results.complete && b.results.complete));
  CHECK(parse_guest_view(*a.results.find("view")).cpus.size() == 4);
  CHECK(parse_guest_view(*b.results.find("view")).cpus.size() == 8);
  CHECK(one.processes().empty());
  CHECK(two.processes().empty());
}

TEST_CASE("What libvirt or QEMU refuses is a failed session with their words") {
  Guest guest({});
  const std::string good = domain_xml(guest.spec(), the_world().qemu);
  std::string xml = good;
  xml.replace(xml.find("<memballoon"), 11, "<nonsense");
  SessionResult result = the_world().hypervisor->run(guest.spec(), xml, {}, {});
  CHECK(result.end == DomainEnd::Failed);
  CHECK_THAT(result.detail, ContainsSubstring("failed to validate"));
  xml = good;
  xml.replace(xml.find("topology=die"), 12, "topology=dye");
  result = the_world().hypervisor->run(guest.spec(), xml, {}, {});
  CHECK(result.end == DomainEnd::Failed);
  CHECK_THAT(result.detail, ContainsSubstring("dye"));
}

TEST_CASE("Whether KVM serves on this host is found by a probe guest, with the reason, and remembered") {
  Guest probe({});  // a script without steps
  const TempDir cache(the_world().directory.path(), "cache");
  std::filesystem::permissions(cache.path(), std::filesystem::perms(0755));
  const auto begin = std::chrono::steady_clock::now();
  const auto fault = [&] {
    return kvm_fault(*the_world().hypervisor, cache.path(), probe.spec().kernel, probe.spec().initrd, {});
  };
  const auto first = fault();
  const auto then = std::chrono::steady_clock::now();
  CHECK(then - begin < 20s);
  CHECK(first != "");
  const auto again = fault();
  CHECK(std::chrono::steady_clock::now() - then < 1s);
  CHECK(again == first);
  if (std::getenv("RIG_TEST_TIMES") != nullptr) fmt::print("{}\n", first.value_or("KVM serves"));
}

namespace {

int run_one_guest() {
  start_under_reaper();
  Guest guest({.work = {"spin"}});
  fmt::print("{}\n", guest.spec().name);
  std::fflush(stdout);
  guest.run();
  return 0;
}

}  // namespace

TEST_CASE("When rig's worker is killed, its reaper ends the guest") {
  const OtherRig rig;
  ::kill(rig.worker(), SIGKILL);
  rig.wait();
  CHECK(qemus_of(rig.guest).empty());
}

TEST_CASE("When rig's reaper is killed, the next rig ends the guest that is left") {
  const OtherRig rig;
  const pid_t worker = rig.worker();
  ::kill(rig.pid, SIGKILL);  // its worker gets SIGTERM, and has no handler here
  rig.wait();
  for (int i = 0; i < 1000 && ::kill(worker, 0) == 0; ++i) std::this_thread::sleep_for(5ms);
  REQUIRE(qemus_of(rig.guest).size() == 1);
  LibvirtRoot::take(cache_directory() / "libvirt");
  CHECK(qemus_of(rig.guest).empty());
}

TEST_CASE("libvirt can be closed and opened again in one process, but not twice at once nor elsewhere") {
  the_world();
  CHECK_THROWS_AS(open_libvirt(cache_directory()), WorkError);
  world.reset();
  CHECK_THROWS_AS(open_libvirt(cache_directory() / "other"), WorkError);
  const Answer answer = Guest({}).run();
  CHECK(answer.results.complete);
}

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == run_one) {
    scratch_parent = argv[2];
    return run_one_guest();
  }
  start_under_reaper();
  const int result = Catch::Session().run(argc, argv);
  world.reset();
  return result;
}
