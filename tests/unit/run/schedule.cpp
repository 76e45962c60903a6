// SPDX-License-Identifier: GPL-2.0-or-later
// A whole run of a small plan with a hypervisor that does as it is told, in place of QEMU.
#include "rig/run/schedule.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <mutex>

using namespace rig;
namespace fs = std::filesystem;

namespace {

// What the agent of rig/guest/PROTOCOL.md sends for one udp-pingpong on one CPU.
std::string good_results(const std::string& more = "", const std::string& clock = "tsc") {
  const std::vector<std::pair<std::string, std::string>> frames = {
      {"view", "release 6.1.0\nlapic ok\nclocksource " + clock + "\n" + more +
                   "cpu 0 package=0 die=0 cluster=? core=0 node=0 siblings=0\n"
                   "cache cpu=0 level=1 type=Data size-kb=32 line=64 ways=8 shared=0\n"},
      {"out/pinger/0",
       "rig-pinger 1 mode=udp-pingpong pairs=1 bytes=40 warmup=20 count=10 seconds=0 client_cpu=any server_cpu=any\n"
       "pair=0 n=10 elapsed_ns=100000 mean_ns=10000 median_ns=9000 min_ns=8000 p99_ns=12000 max_ns=12500 "
       "rate_per_s=100000.0 lost=0 client_mask=1 server_mask=1 client_cpus=1 server_cpus=1\n"
       "hist pair=0 8000:10\nsum pairs=1 rate_per_s=100000.0 mean_ns=10000\ndone\n"},
      {"err/pinger/0", ""},
      {"status/pinger/0", "exit 0 ms=1 cpus=1"}};
  std::string bytes = "@rig 1\n";
  for (const auto& [name, payload] : frames) {
    bytes += "@frame " + name + " " + std::to_string(payload.size()) + "\n" + payload + "\n";
  }
  return bytes + "@end " + std::to_string(bytes.size()) + " " + sha256(bytes) + "\n";
}

enum class Act { Good, QemuDies, Panics, FillsDisk, SeesTwoCpus, KeepsOtherTime };

class ToldHypervisor : public Hypervisor {
 public:
  std::deque<Act> acts;              // Good once they are used up
  std::vector<std::string> names;    // of the guests started
  std::stop_source* stop = nullptr;  // asked to stop during the guest of that index
  std::size_t stop_at = 1000;
  SessionResult run(const VmSpec& spec, const std::string&, const SessionLimits&, std::stop_token) override {
    const std::lock_guard lock(mutex_);
    if (names.size() == stop_at) stop->request_stop();
    names.push_back(spec.name);
    const Act act = acts.empty() ? Act::Good : acts.front();
    if (!acts.empty()) acts.pop_front();
    SessionResult result;
    result.end = act == Act::QemuDies ? DomainEnd::Failed
                 : act == Act::Panics ? DomainEnd::Crashed
                                      : DomainEnd::PowerOff;
    if (act == Act::FillsDisk) throw WorkError("no space left on the disk");
    write_file(spec.console,
               act == Act::Panics ? "Kernel panic - not syncing: for the test\n" : "Linux version 6.1.0\n");
    write_file(spec.results, act == Act::Good             ? good_results()
                             : act == Act::SeesTwoCpus    ? good_results("cpu 1 package=0 core=1 siblings=1\n")
                             : act == Act::KeepsOtherTime ? good_results("", "hpet")
                                                          : "");
    return result;
  }

 private:
  std::mutex mutex_;
};

// Two cells (10 and 20 round trips) of one job on one machine and kernel, so many boots of each.
struct World {
  TempDir directory{fs::temp_directory_path(), "rig-run-test"};
  Plan plan;
  ToldHypervisor hypervisor;
  fs::path kept;  // the kernel's artifact, for its proofs; empty: nothing is kept
  explicit World(int boots) {
    KernelSpec kernel;
    kernel.name = "k";
    Topology machine;
    machine.name = "one";
    machine.cpu_model = "qemu64";
    machine.caches = {{.level = 1, .type = CacheType::Data, .size = 32 << 10, .ways = 8}};
    machine.nodes = {{{0}, 1u << 28}};
    JobSpec job;
    job.name = "udp-pingpong";
    job.parser = "pinger";
    job.parameters = {{.name = "count", .min = 1, .max = 100000, .default_value = "10"}};
    job.metrics = {{"mean", "us", Better::Lower, ""}};
    job.steps = {{.name = "pinger", .argv = {"rig-pinger", "udp-pingpong", "--count", "{count}"}}};
    plan.matrix.name = "m";
    plan.matrix.kernels = {kernel};
    plan.matrix.baseline = "k";
    plan.matrix.topologies = {machine};
    plan.matrix.definitions = {job};
    plan.matrix.jobs = {{.job = "udp-pingpong", .values = {{"count", {"10", "20"}}}}};
    plan.matrix.image.name = "i";
    plan.matrix.boots = boots;
    plan = make_plan(plan.matrix, 1);
    write_file(directory.path() / "image", "0000");
  }
  AttemptContext context() {
    AttemptContext c{.plan = plan, .hypervisor = hypervisor};
    KernelArtifact built;
    built.bzimage = directory.path() / "bzImage";
    built.release = "6.1.0";
    built.directory = kept;
    c.kernels["k"] = built;
    c.images.made["i"].file = directory.path() / "image";
    c.images.of_kernels["k"] = "i";
    c.directory = directory.path() / "run";
    c.scratch = directory.path() / "scratch";
    make_directories(c.directory);
    make_directories(c.scratch);
    return c;
  }
  RunRecord head() const {
    RunRecord record;
    record.name = "m";
    record.plan_hash = plan.hash;
    for (const auto& cell : plan.cells)
      record.cells.push_back({cell.id, cell.kernel, cell.topology, cell.job, cell.parameters, ""});
    return record;
  }
  // Runs all that is not finished, in a new store or the one that is there.
  RunRecord run(unsigned workers = 1, std::stop_token stop = {}) {
    const AttemptContext c = context();
    RunStore store = fs::exists(c.directory / "results.sqlite") ? RunStore::open(c.directory)
                                                                : RunStore::create(c.directory, head());
    run_attempts(c, store, store.load(), workers, {}, stop);
    return store.load();
  }
};

std::size_t count(const RunRecord& record, Outcome outcome) {
  return static_cast<std::size_t>(std::count_if(record.attempts.begin(), record.attempts.end(),
                                                [&](const auto& a) { return a.outcome == outcome; }));
}

}  // namespace

TEST_CASE("Every repetition of every cell is run once and recorded with its sample") {
  World world(3);
  const auto record = world.run();
  CHECK(record.attempts.size() == 6);
  CHECK(count(record, Outcome::Ok) == 6);
  CHECK(record.attempts.front().samples == std::vector<Sample>{{"mean", "us", 10.0, 0}});
  for (const auto& attempt : record.attempts) {
    const fs::path kept =
        world.directory.path() / "run/cells" / attempt.cell / (std::to_string(attempt.repetition) + ".0");
    for (const char* file : {"domain.xml", "script", "console.log", "results", "view.txt"})
      CHECK(fs::exists(kept / file));
  }
  CHECK(fs::is_empty(world.directory.path() / "scratch"));
}

TEST_CASE("A QEMU that dies is tried again, counted, and never becomes a sample") {
  World world(1);
  world.hypervisor.acts = {Act::QemuDies, Act::QemuDies, Act::Good};
  const auto record = world.run();
  REQUIRE(record.attempts.size() == 4);
  CHECK(count(record, Outcome::Infrastructure) == 2);
  CHECK(count(record, Outcome::Ok) == 2);
  CHECK(record.attempts[2].attempt == 2);
  CHECK(record.attempts[0].samples.empty());
}

TEST_CASE("After three tries the machinery is given up, and the next cell goes on unharmed") {
  World world(1);
  world.hypervisor.acts = {Act::QemuDies, Act::QemuDies, Act::QemuDies};
  const auto record = world.run();
  CHECK(record.attempts.size() == 4);
  CHECK(count(record, Outcome::Infrastructure) == 3);
  CHECK(record.attempts.back().outcome == Outcome::Ok);
}

TEST_CASE("A panic is the kernel's, and is not tried again") {
  World world(1);
  world.hypervisor.acts = {Act::Panics};
  const auto record = world.run();
  REQUIRE(record.attempts.size() == 2);
  CHECK(record.attempts[0].outcome == Outcome::Panic);
}

TEST_CASE("A kernel that sees another machine is booted once, and the rest is told so with the one reason") {
  World world(3);
  world.hypervisor.acts.assign(6, Act::SeesTwoCpus);
  const auto record = world.run();
  CHECK(world.hypervisor.names.size() == 1);
  REQUIRE(record.attempts.size() == 6);
  CHECK(record.attempts[0].outcome == Outcome::TopologyMismatch);
  CHECK(count(record, Outcome::Skipped) == 5);
  CHECK(record.attempts[5].reason == "not booted: k is not right on one: CPUs online: asked 1, seen 2");
  SECTION("and a resumed run leaves it at that") {
    CHECK(world.run().attempts.size() == 6);
    CHECK(world.hypervisor.names.size() == 1);
  }
}

TEST_CASE("A wrong clock is tried again before the kernel is given up on the machine") {
  World world(2);
  world.hypervisor.acts = {Act::KeepsOtherTime, Act::KeepsOtherTime};
  CHECK(count(world.run(), Outcome::Ok) == 4);
  World hopeless(2);
  hopeless.hypervisor.acts.assign(12, Act::KeepsOtherTime);
  const auto record = hopeless.run();
  CHECK(hopeless.hypervisor.names.size() == 3);
  CHECK(count(record, Outcome::Skipped) == 3);
  CHECK(record.attempts.back().reason ==
        "not booted: k is not right on one: the kernel's clock is not the tsc but hpet");
}

TEST_CASE("One boot that sees another machine does not end a kernel that was right before") {
  World world(3);
  world.kept = world.directory.path() / "artifact";
  world.hypervisor.acts = {Act::Good, Act::SeesTwoCpus, Act::Good};
  const auto record = world.run();
  CHECK(count(record, Outcome::Ok) == 5);
  CHECK(count(record, Outcome::TopologyMismatch) == 1);
  CHECK(proved_on(world.kept).size() == 1);
}

TEST_CASE("An interrupted run is completed by the next: nothing finished is lost or run twice") {
  World world(3);
  std::stop_source stop;
  world.hypervisor.stop = &stop;
  world.hypervisor.stop_at = 2;
  const auto first = world.run(1, stop.get_token());
  CHECK(count(first, Outcome::Ok) == 2);
  CHECK(count(first, Outcome::Interrupted) == 1);
  CHECK(first.attempts.size() == 3);
  const auto second = world.run();
  CHECK(count(second, Outcome::Ok) == 6);
  CHECK(count(second, Outcome::Interrupted) == 1);
  CHECK(world.hypervisor.names.size() == 7);
  SECTION("and a third run boots nothing") {
    CHECK(world.run().attempts.size() == 7);
    CHECK(world.hypervisor.names.size() == 7);
  }
}

TEST_CASE("Several workers share the order and record every repetition once") {
  World world(20);
  const auto record = world.run(4);
  CHECK(count(record, Outcome::Ok) == 40);
  CHECK(record.attempts.size() == 40);
}

TEST_CASE("What ends the whole run ends it, and keeps what was finished") {
  World world(3);
  world.hypervisor.acts = {Act::Good, Act::FillsDisk};
  CHECK_THROWS_AS(world.run(), WorkError);
  CHECK(count(world.run(), Outcome::Ok) == 6);
}

TEST_CASE("Guests run side by side only where time is virtual or it is asked for") {
  CHECK(workers_for(Accelerator::TcgMt, std::nullopt, 10) == 1);
  CHECK(workers_for(Accelerator::Kvm, std::nullopt, 10) == 1);
  CHECK(workers_for(Accelerator::Tcg, std::nullopt, 10) >= 1);
  CHECK(workers_for(Accelerator::TcgMt, 4, 10) == 4);
  CHECK(workers_for(Accelerator::Tcg, 4, 2) == 2);
}

TEST_CASE("Time limits grow with what the steps may take") {
  GuestScript script;
  script.steps = {{.name = "server", .limit_ms = 900000, .background = true}, {.name = "work", .limit_ms = 10000}};
  CHECK(wall_limit(script, Accelerator::Kvm) == std::chrono::seconds(190));
  CHECK(wall_limit(script, Accelerator::Tcg) > wall_limit(script, Accelerator::TcgMt));
  CHECK(silence_limit(script, Accelerator::TcgMt) == std::chrono::seconds(60));
  CHECK(silence_limit(script, Accelerator::Tcg) > std::chrono::seconds(900));
}
