// SPDX-License-Identifier: GPL-2.0-or-later
// What the BLD patch does to a running kernel: where it places tasks, and that it holds.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <map>
#include <sstream>

#include "rig_program.h"
#include "vm_guest.h"

using namespace rig;
using namespace rig::test;

namespace {

struct Wakeups {
  std::uint64_t all = 0, local = 0;
};

// Documentation/scheduler/sched-stats.rst, version 15: on a cpu line the fifth number counts all
// calls of try_to_wake_up(), the sixth those that woke up on the CPU of the call.
Wakeups wakeups(const std::string& schedstat) {
  REQUIRE(schedstat.rfind("version 15\n", 0) == 0);
  Wakeups sum;
  std::istringstream lines(schedstat);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("cpu", 0) != 0) continue;
    std::istringstream words(line);
    std::string name;
    std::uint64_t field[6] = {};
    words >> name;
    for (auto& value : field) words >> value;
    sum.all += field[4];
    sum.local += field[5];
  }
  return sum;
}

// The share of remote wake-ups over all boots of a cell, while the pinger ran.
double remote_share(const fs::path& run, const RunRecord& record, const std::string& kernel) {
  const std::string cell = cell_of(record, kernel, "tcp-rr").id;
  Wakeups sum;
  for (int boot = 0; boot < record.boots; ++boot) {
    const auto stream = decode_results(results_of(run, cell, boot));
    const auto* before = stream.find("schedstat/pinger/before");
    const auto* after = stream.find("schedstat/pinger/after");
    REQUIRE(before != nullptr);
    REQUIRE(after != nullptr);
    const Wakeups first = wakeups(*before), last = wakeups(*after);
    sum.all += last.all - first.all;
    sum.local += last.local - first.local;
  }
  REQUIRE(sum.all > 100000);
  return 1.0 - static_cast<double>(sum.local) / static_cast<double>(sum.all);
}

// The vmlinux of a definition, from the cache or built.
fs::path vmlinux_of(const fs::path& definition) {
  return KernelStore(cache_directory()).ensure(load_kernel(fs::path(RIG_SOURCE_DIR) / definition)).vmlinux;
}

constexpr const char* bld_kernel = "kernels/debian-6.1-bld.yaml";
constexpr const char* isolating_kernel = "tests/guest/definitions/kernels/bld-isolated.yaml";
constexpr const char* lockdep_kernel = "tests/guest/definitions/kernels/bld-lockdep.yaml";

// Runs bld_work.c and holds it to its word: nothing ran where it may not, stood still or was lost, and the
// kernel has nothing to say of it. Gives its output.
std::string hold(Asked asked) {
  // A host may be busier than a kernel's patience with a CPU that does not answer.
  asked.boot_args.push_back("rcupdate.rcu_cpu_stall_timeout=300");
  asked.limits.wall = 900s;
  Guest guest(asked);
  const Answer answer = guest.run();
  REQUIRE(answer.results.complete);
  std::string said;
  for (const auto& frame : answer.results.frames) {
    if (frame.name.starts_with("out/") || frame.name.starts_with("err/") || frame.name.starts_with("status/"))
      said += frame.name + ": " + frame.payload + "\n";
  }
  INFO(said);
  const std::string* out = answer.results.find("out/work/0");
  REQUIRE(out != nullptr);
  CHECK(out->find("\ndone\n") != std::string::npos);
  CHECK(answer.results.find("status/work/0")->starts_with("exit 0"));
  CHECK(answer.results.find("klog-warnings") == nullptr);
  for (const char* words : {"WARNING:", "BUG:", "INFO: task", "possible ", "soft lockup"}) {
    INFO(words);
    CHECK(answer.console.find(words) == std::string::npos);
  }
  return *out;
}

// In virtual time, so that what is counted does not hang on how busy the host is.
Asked stress(const fs::path& kernel, std::vector<std::string> work) {
  return {.work = std::move(work), .icount_shift = 4, .kernel = kernel};
}

}  // namespace

TEST_CASE(
    "BLD scatters the wake-ups of four unbound request/response pairs; mainline, and BLD's own binary with bld=0, keep "
    "them local") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/wakeups.yaml", "--accel", "tcg", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto run = runs.newest();
  const auto record = load_record(run);
  const double mainline = remote_share(run, record, "debian-6.1");
  const double bld = remote_share(run, record, "debian-6.1-bld");
  const double off = remote_share(run, record, "debian-6.1-bld-off");
  WARN("remote wake-ups: mainline " << 100 * mainline << " %, BLD " << 100 * bld << " %, bld=0 " << 100 * off << " %");
  CHECK(bld >= 0.40);
  // one boot in five of mainline settles with a pair across CPUs, so that a mean of four may be a fifth
  CHECK(mainline <= bld / 2);
  CHECK(off <= bld / 2);
}

TEST_CASE("BLD survives a minute of fork, exec and wake-up storms on 4 and 8 vCPUs without a warning") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "tests/guest/definitions/bld-storm.yaml", "--accel", "tcg-mt", "--out", runs.path()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  INFO(outcomes(record));
  CHECK(all_ok(record, 2));
  for (const auto& attempt : record.attempts) {
    for (const auto& note : attempt.notes) {
      INFO(note);
      CHECK(note.find("the kernel's log") == std::string::npos);
    }
  }
}

TEST_CASE("Under BLD tasks keep to affinities that change all the time, and none is lost or starved") {
  Asked asked = stress(vmlinux_of(bld_kernel), {"affinity", "10"});
  hold(asked);
  asked.accelerator = Accelerator::TcgMt;  // CPUs that really run at once
  hold(asked);
}

TEST_CASE("Under BLD CPUs go offline and online below running tasks, and none is lost, starved or left on them") {
  const std::string out = hold(stress(vmlinux_of(bld_kernel), {"hotplug", "10"}));
  INFO(out);
  CHECK(std::atoi(out.c_str() + out.find("switched ") + 9) >= 20);
}

TEST_CASE("Under BLD FIFO and RR tasks run beside ordinary ones, and real-time hogs share the CPUs") {
  const std::string out = hold(stress(vmlinux_of(bld_kernel), {"rt", "5"}));
  INFO(out);
  const auto number = [&](const char* word) { return std::atof(out.c_str() + out.find(word) + std::strlen(word)); };
  CHECK(number("hogs least ") > 0);
}

TEST_CASE("Under BLD hogs forked by a task of two CPUs take both, and of all CPUs all") {
  const fs::path kernel = vmlinux_of(bld_kernel);
  CHECK(hold(stress(kernel, {"spread", "0xc"})).find("used c of c\n") != std::string::npos);
  CHECK(hold(stress(kernel, {"spread", "0"})).find("used f of f\n") != std::string::npos);
}

TEST_CASE("Under BLD nothing comes to an isolated CPU but what is bound to it, and forks use all the others") {
  Asked asked = stress(vmlinux_of(isolating_kernel), {"isolated", "3"});
  asked.boot_args.push_back("isolcpus=3");
  hold(asked);
  asked.work = {"spread", "0"};
  CHECK(hold(asked).find("used 7 of f\n") != std::string::npos);
}

// Not by default: the kernel costs a whole build (CONTRIBUTING.md).
TEST_CASE("Lockdep has nothing to say of BLD under all of this and changing cpusets", "[.lockdep]") {
  const fs::path kernel = vmlinux_of(lockdep_kernel);
  for (const char* what : {"affinity", "hotplug", "rt", "cpuset"}) {
    INFO(what);
    hold(stress(kernel, {what, "10"}));
  }
}
