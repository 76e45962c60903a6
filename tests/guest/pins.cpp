// SPDX-License-Identifier: GPL-2.0-or-later
// Pins on real guests: QEMU's threads are looked at from this side, by /proc alone.
#include <sched.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <future>
#include <map>
#include <regex>
#include <thread>

#include "rig/topology/topology.h"
#include "rig/vm/process_table.h"
#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string first_line_after(const fs::path& file, const std::string& begin) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(begin)) return line.substr(begin.size());
  return "";
}

struct Thread {
  pid_t id = 0;
  std::string name, allowed;
};

std::vector<Thread> threads_of(pid_t process) {
  std::vector<Thread> found;
  std::error_code error;
  for (fs::directory_iterator it("/proc/" + std::to_string(process) + "/task", error), end; !error && it != end;
       it.increment(error)) {
    const fs::path status = it->path() / "status";
    found.push_back({static_cast<pid_t>(std::stol(it->path().filename().string())), first_line_after(status, "Name:\t"),
                     first_line_after(status, "Cpus_allowed_list:\t")});
  }
  return found;
}

// The QEMU of the rig that this test has started, once it is there; 0 where none comes. It has left its parents
// behind, and is a child of rig's reaper.
pid_t qemu_of(const std::future<ProcessResult>& run) {
  while (run.wait_for(10ms) != std::future_status::ready) {
    for (const pid_t reaper : children_of(::getpid())) {
      for (const pid_t child : children_of(reaper))
        if (process_arguments(child).find("guest=rig-") != std::string::npos) return child;
    }
  }
  return 0;
}

std::future<ProcessResult> start(const RunsDir& runs, const std::string& only) {
  return std::async(std::launch::async, [out = runs.path(), only] {
    return rig_program(
        {"run", "tests/guest/definitions/pinned.yaml", "--accel", "tcg-mt", "--only", only, "--out", out});
  });
}

// "CPU 1/TCG" → "0-1", of every thread of QEMU, when last seen while a thread for each vCPU was there.
std::map<std::string, std::string> last_seen(const std::future<ProcessResult>& run) {
  std::map<std::string, std::string> seen;
  const pid_t qemu = qemu_of(run);
  while (qemu != 0 && run.wait_for(100ms) != std::future_status::ready) {
    for (const auto& thread : threads_of(qemu))
      if (!thread.allowed.empty()) seen[thread.name] = thread.allowed;
  }
  return seen;
}

// What the domain's XML says, by the names that QEMU gives its threads.
std::map<std::string, std::string> pins_of(const std::string& xml) {
  std::map<std::string, std::string> pins;
  const std::regex pin(R"re(<vcpupin vcpu="(\d+)" cpuset="([^"]+)"/>)re");
  for (std::sregex_iterator it(xml.begin(), xml.end(), pin), end; it != end; ++it)
    pins["CPU " + (*it)[1].str() + "/TCG"] = (*it)[2];
  std::smatch emulator;
  if (std::regex_search(xml, emulator, std::regex(R"re(<emulatorpin cpuset="([^"]+)"/>)re")))
    pins["emulator"] = emulator[1];
  return pins;
}

bool inside(const std::string& part, const std::string& whole) {
  const auto a = parse_cpu_list(part), b = parse_cpu_list(whole);
  return a && b && std::includes(b->begin(), b->end(), a->begin(), a->end());
}

void give(pid_t thread, const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  REQUIRE(::sched_setaffinity(thread, sizeof set, &set) == 0);
}

std::vector<int> own_cpus() {
  return parse_cpu_list(first_line_after("/proc/self/status", "Cpus_allowed_list:\t")).value_or(std::vector<int>());
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : size;
}

template <class Condition>
bool eventually(const Condition& holds) {
  for (int i = 0; i < 6000; ++i, std::this_thread::sleep_for(10ms))
    if (holds()) return true;
  return false;
}

pid_t thread_named(pid_t process, const std::string& name) {
  for (const auto& thread : threads_of(process))
    if (thread.name == name) return thread.id;
  return 0;
}

const AttemptRecord& only_attempt(const RunRecord& record) {
  REQUIRE(record.attempts.size() == 1);
  return record.attempts.front();
}

}  // namespace

TEST_CASE("QEMU's threads are on the CPUs that the domain's XML names, with room and overcommitted") {
  for (const std::string topology : {"pinned-cpu", "q6600"}) {
    INFO(topology);
    RunsDir runs;
    auto running = start(runs, "topology=" + topology);
    const auto seen = last_seen(running);
    const auto result = running.get();
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const auto run = runs.newest();
    const RunRecord record = load_record(run);
    const AttemptRecord& attempt = only_attempt(record);
    const auto pins = pins_of(read_file(run / "cells" / attempt.cell / "0.0" / "domain.xml"));
    REQUIRE(pins.size() == (topology == "pinned-cpu" ? 2 : 5));
    for (const auto& [thread, cpus] : seen) {
      INFO(thread << " may run on " << cpus);
      if (thread.starts_with("CPU "))
        CHECK(pins.at(thread) == cpus);
      else
        CHECK(inside(cpus, pins.at("emulator")));
    }
    CHECK(seen.contains("CPU 0/TCG"));

    REQUIRE(attempt.fidelity.size() == 1);
    const FidelityRecord& guest = attempt.fidelity.front();
    CHECK(guest.accelerator == "tcg-mt");
    CHECK(guest.emulator == pins.at("emulator"));
    for (std::size_t i = 0; i < guest.pins.size(); ++i)
      CHECK(guest.pins[i] == pins.at("CPU " + std::to_string(i) + "/TCG"));
    CHECK(guest.seen.at("looks") >= 2);
    const std::size_t host = own_cpus().size();
    CHECK(guest.overcommitted == (guest.pins.size() > host));
    if (guest.overcommitted) CHECK(guest.mapping == "partial");
    CHECK_THAT(result.out, ContainsSubstring("Mapping onto host CPUs\n  " + topology + ": " + guest.mapping));
  }
}

TEST_CASE("A pin that is moved from outside while the cell runs fails it as placement-mismatch") {
  const auto cpus = own_cpus();
  if (cpus.size() < 2) SKIP("this host has one CPU, and no other to move a thread to");
  RunsDir runs;
  auto running = start(runs, "topology=pinned-cpu");
  const pid_t qemu = qemu_of(running);
  REQUIRE(qemu != 0);
  // The kernel speaks: libvirt has set its pins before it let the guest go.
  const fs::path run = runs.newest();
  const auto attempt_directory = [&] { return fs::directory_iterator(run / "cells")->path() / "0.0"; };
  REQUIRE(eventually([&] { return size_of(attempt_directory() / "console.log") > 0; }));
  const std::string wanted = pins_of(read_file(attempt_directory() / "domain.xml")).at("CPU 0/TCG");
  const pid_t vcpu = thread_named(qemu, "CPU 0/TCG");
  REQUIRE(vcpu != 0);
  give(vcpu, cpus);
  const auto result = running.get();
  INFO(result.err);
  CHECK(result.exit_code == 4);
  const AttemptRecord attempt = only_attempt(load_record(run));
  CHECK(attempt.outcome == Outcome::PlacementMismatch);
  CHECK_THAT(attempt.reason, ContainsSubstring("vCPU 0: wanted on CPU " + wanted));
  CHECK_THAT(attempt.reason, ContainsSubstring(format_cpu_list(cpus)));
  CHECK(attempt.samples.empty());
  CHECK(process_arguments(qemu).empty());  // no guest is left
}

TEST_CASE("--strict refuses what this host cannot carry, before anything is built or started") {
  if (own_cpus().size() >= 4) SKIP("this host may well carry four CPUs exactly");
  RunsDir runs;
  const auto result = rig_program({"run", "tests/guest/definitions/pinned.yaml", "--accel", "tcg-mt", "--strict",
                                   "--only", "topology=q6600", "--out", runs.path()});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, ContainsSubstring("q6600"));
  CHECK(fs::is_empty(runs.path()));
}

TEST_CASE("rig doctor finds what the main job needs, and says what it will run under") {
  const auto result = rig_program({"doctor"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  for (const char* line :
       {"ok     guest", "ok     libvirt", "ok     QEMU", "ok     kernel builds", "topology q6600", "noise"})
    CHECK_THAT(result.out, ContainsSubstring(line));
  CHECK_THAT(result.out, ContainsSubstring("The main job (rig run matrix.yaml) can run, under "));

  SECTION("on a host of the same sharing the Q6600 is exact") {
    const auto elsewhere = rig_program({"doctor", "--json", "--host", "synthetic:pack:1 l2:2 core:3 pu:1"});
    CHECK(elsewhere.exit_code == 0);
    CHECK_THAT(elsewhere.out, ContainsSubstring(R"("main_job":true)"));
    const std::regex exact(R"re("name":"topology q6600","state":"ok","text":"exact)re");
    CHECK(std::regex_search(elsewhere.out, exact));
  }
}
