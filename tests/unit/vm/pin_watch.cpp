// SPDX-License-Identifier: GPL-2.0-or-later
// What /proc says of threads, in the kernel's own words (proc(5), Documentation/accounting/psi.rst,
// Documentation/scheduler/sched-stats.rst), and what it means for a pinned guest.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <filesystem>

#include "rig/base/file.h"
#include "rig/vm/libvirt_pins.h"
#include "rig/vm/pin_watch.h"

using namespace rig;
using namespace std::chrono_literals;
using Catch::Matchers::WithinAbs;
namespace fs = std::filesystem;

namespace {

// Two vCPUs on CPUs 2 and 3, QEMU's other threads on 0-1.
const Pinning pins{.vcpus = {{2}, {3}}, .emulator = {0, 1}};

ThreadLook vcpu(int number, std::vector<int> allowed, int cpu, std::uint64_t migrations = 4) {
  ThreadLook thread{.tid = 100 + number, .vcpu = number, .name = "CPU", .allowed = std::move(allowed), .cpu = cpu};
  thread.migrations = migrations;
  return thread;
}
ThreadLook worker(std::vector<int> allowed, int cpu) {
  return {.tid = 90, .name = "worker", .allowed = std::move(allowed), .cpu = cpu};
}
PinLook look(std::vector<ThreadLook> threads, std::chrono::nanoseconds at = 0s) {
  return {.at = at, .threads = std::move(threads)};
}

void put(const fs::path& file, const std::string& text) {
  make_directories(file.parent_path());
  write_file(file, text);
}

// A thread's files as Linux 6.18 shows them, shortened.
void put_thread(const fs::path& task, const std::string& name, const std::string& allowed, int cpu) {
  put(task / "status", "Name:\t" + name +
                           "\nState:\tS (sleeping)\nTgid:\t4711\nCpus_allowed:\tc\nCpus_allowed_list:\t" + allowed +
                           "\nvoluntary_ctxt_switches:\t120\nnonvoluntary_ctxt_switches:\t7\n");
  put(task / "stat", "4712 (" + name +
                         ") S 1 4711 4711 0 -1 4194624 1 0 0 0 11 12 0 0 20 0 6 0 2365 1 2 18446744073709551615 "
                         "1 1 0 0 0 0 268444224 4096 17663 0 0 0 -1 " +
                         std::to_string(cpu) + " 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  put(task / "sched", name +
                          " (4712, #threads: 6)\n-----\nse.exec_start           :      23656587.8\n"
                          "se.nr_migrations                             :                    9\n"
                          "nr_switches                                  :                    127\n");
  put(task / "schedstat", "800000000 47311 130\n");
}

}  // namespace

TEST_CASE("Threads that are where they should be are no mismatch") {
  CHECK_FALSE(pin_mismatch(pins, look({worker({0, 1}, 1), vcpu(0, {2}, 2), vcpu(1, {3}, 3)}), nullptr));
}

TEST_CASE("A mismatch names the vCPU, what was wanted and what was seen") {
  CHECK(pin_mismatch(pins, look({vcpu(0, {2}, 2), vcpu(1, {0, 1, 2, 3}, 3)}), nullptr) ==
        "vCPU 1: wanted on CPU 3, may run on CPUs 0-3");
  CHECK(pin_mismatch(pins, look({vcpu(0, {2}, 1)}), nullptr) == "vCPU 0: wanted on CPU 2, ran on CPU 1");
  CHECK(pin_mismatch(pins, look({worker({0, 1, 2}, 0)}), nullptr) ==
        "QEMU's thread 'worker': wanted on CPUs 0-1, may run on CPUs 0-2");
}

TEST_CASE("A vCPU has exactly the CPUs asked for; another thread may have fewer") {
  const Pinning wide{.vcpus = {{0, 1, 2}}, .emulator = {0, 1}};
  CHECK(pin_mismatch(wide, look({vcpu(0, {0, 1}, 0)}), nullptr));
  CHECK_FALSE(pin_mismatch(wide, look({worker({1}, 1)}), nullptr));
}

TEST_CASE("What a vCPU's thread has started shares its CPUs, and is no mismatch") {
  CHECK_FALSE(pin_mismatch(pins, look({worker({3}, 3)}), nullptr));
  CHECK(pin_mismatch(pins, look({worker({2, 3}, 3)}), nullptr));
}

TEST_CASE("A thread of one CPU that migrated between two looks was moved away and back") {
  const auto before = look({vcpu(1, {3}, 3, 4)});
  CHECK(pin_mismatch(pins, look({vcpu(1, {3}, 3, 6)}), &before) ==
        "vCPU 1: wanted on CPU 3, moved 2 times between two looks");
  CHECK_FALSE(pin_mismatch(pins, look({vcpu(1, {3}, 3, 4)}), &before));
  const Pinning wide{.vcpus = {{2}, {2, 3}}, .emulator = {0, 1}};
  const auto wide_before = look({vcpu(1, {2, 3}, 3, 4)});
  CHECK_FALSE(pin_mismatch(wide, look({vcpu(1, {2, 3}, 2, 6)}), &wide_before));
}

TEST_CASE("The first mismatch stays, whatever comes after it") {
  PinWatch watch(pins);
  watch.see(look({vcpu(0, {2}, 2)}), false);
  CHECK_FALSE(watch.failed());
  watch.see(look({vcpu(0, {3}, 3)}), true);
  watch.see(look({vcpu(0, {2}, 2)}), true);
  CHECK(watch.failed());
  CHECK(watch.seen().mismatch == "vCPU 0: wanted on CPU 2, may run on CPU 3");
}

TEST_CASE("What is counted is counted from the begin of the work") {
  PinWatch watch({.vcpus = {{2, 3}}, .emulator = {0}});
  const auto at = [](std::chrono::seconds time, int cpu, std::uint64_t count, std::chrono::nanoseconds waited) {
    ThreadLook thread = vcpu(0, {2, 3}, cpu, count);
    thread.voluntary_switches = 10 * count;
    thread.involuntary_switches = 100 * count;
    thread.ran = thread.waited = waited;
    PinLook one = look({thread}, time);
    one.host.steal = count;
    one.host.ticks = 1000 * static_cast<std::uint64_t>(time.count());
    one.host.cpu_pressure = std::chrono::milliseconds(500) * time.count();
    return one;
  };
  watch.see(at(0s, 2, 1, 0s), false);
  watch.see(at(10s, 2, 5, 1s), true);  // here the work begins
  watch.see(at(14s, 3, 8, 3s), true);
  const PinsSeen seen = watch.seen();
  CHECK(seen.looks == 3);
  CHECK(seen.watched == 4s);
  CHECK(seen.vcpus.at(0).ran_on == std::vector<int>{2, 3});
  CHECK(seen.vcpus.at(0).migrations == 3);
  CHECK(seen.vcpus.at(0).voluntary_switches == 30);
  CHECK(seen.vcpus.at(0).involuntary_switches == 300);
  CHECK(seen.vcpus.at(0).waited == 2s);
  CHECK_THAT(seen.steal.value(), WithinAbs(3.0 / 4000, 1e-12));
  CHECK_THAT(seen.cpu_pressure.value(), WithinAbs(0.5, 1e-12));
  CHECK_FALSE(seen.io_pressure);
}

TEST_CASE("Of a guest that ended before the first look nothing is claimed") {
  const PinsSeen seen = PinWatch(pins).seen();
  CHECK(seen.looks == 0);
  CHECK(seen.vcpus.size() == 2);
  CHECK_FALSE(seen.steal);
}

TEST_CASE("A look reads every thread of QEMU and what the host tells of itself") {
  const TempDir proc(fs::temp_directory_path());
  put_thread(proc.path() / "4711/task/4711", "qemu-system-x86", "0-1", 1);
  put_thread(proc.path() / "4711/task/4712", "CPU 0/TCG (x) S", "2", 2);  // brackets in a name
  put_thread(proc.path() / "4711/task/4713", "CPU 1/TCG", "3", 3);
  put(proc.path() / "4711/task/4714/status", "");  // it has just ended
  put(proc.path() / "stat",
      "cpu  10 0 10 100 0 0 0 50 0 0\ncpu0 1 1 1 1 1 1 1 40 0 0\n"
      "cpu2 100 1 50 800 5 0 2 42 90 0\ncpu3 10 0 5 80 0 0 0 5 9 0\nintr 1 2\n");
  put(proc.path() / "pressure/cpu",
      "some avg10=1.53 avg60=0.87 avg300=0.73 total=58761459\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  const PinLook seen = look_at(proc.path(), 4711, {4712, 4713}, {2, 3}, 5s);
  REQUIRE(seen.threads.size() == 3);
  CHECK(seen.threads[0].vcpu == -1);
  CHECK(seen.threads[0].name == "qemu-system-x86");
  CHECK(seen.threads[0].allowed == std::vector<int>{0, 1});
  CHECK(seen.threads[1].vcpu == 0);
  CHECK(seen.threads[1].cpu == 2);
  CHECK(seen.threads[2].vcpu == 1);
  CHECK(seen.threads[2].migrations == 9);
  CHECK(seen.threads[2].voluntary_switches == 120);
  CHECK(seen.threads[2].involuntary_switches == 7);
  CHECK(seen.threads[2].ran == 800ms);
  CHECK(seen.threads[2].waited == 47311ns);
  CHECK(seen.host.steal == 47);          // of CPUs 2 and 3
  CHECK(seen.host.ticks == 1000 + 100);  // without guest time, which is user time already
  CHECK(seen.host.cpu_pressure == 58761459us);
  CHECK_FALSE(seen.host.io_pressure);
}

TEST_CASE("A host that tells little is read as far as it does") {
  const TempDir proc(fs::temp_directory_path());
  put_thread(proc.path() / "7/task/7", "qemu", "0", 0);
  fs::remove(proc.path() / "7/task/7/sched");      // without CONFIG_SCHED_DEBUG
  fs::remove(proc.path() / "7/task/7/schedstat");  // without CONFIG_SCHED_INFO
  const PinLook seen = look_at(proc.path(), 7, {}, {0}, 0s);
  REQUIRE(seen.threads.size() == 1);
  CHECK_FALSE(seen.threads[0].migrations);
  CHECK_FALSE(seen.threads[0].ran);
  CHECK_FALSE(seen.host.steal);
  CHECK(look_at(proc.path(), 8, {}, {0}, 0s).threads.empty());
}

TEST_CASE("QEMU's threads are taken by vCPU number") {
  // as QEMU 10.0.2 answers, in another order
  CHECK(
      parse_vcpu_threads(
          R"({"return":[{"thread-id":31,"props":{"core-id":1},"qom-path":"/machine/unattached/device[2]","cpu-index":1,"target":"x86_64"},)"
          R"({"thread-id":30,"cpu-index":0,"target":"x86_64"}],"id":"libvirt-12"})") == std::vector<pid_t>{30, 31});
  CHECK(parse_vcpu_threads(R"({"error":{"class":"GenericError","desc":"no"}})").empty());
  CHECK(parse_vcpu_threads(R"({"return":[{"thread-id":31,"cpu-index":1}]})").empty());
  CHECK(parse_vcpu_threads("").empty());
}
