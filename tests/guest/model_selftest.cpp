// SPDX-License-Identifier: GPL-2.0-or-later
// The plug-in in the installed QEMU: guest time follows the model, histories repeat, refusals are words.
// RIG_TEST_QEMU names another QEMU than the one in PATH.
#include <atomic>
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <future>
#include <sstream>
#include <thread>

#include "artifacts.h"
#include "rig/base/base.h"
#include "rig/model/of_topology.h"
#include "rig/model/selftest_run.h"
#include "rig/vm/vm.h"

using namespace rig;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

const fs::path build = RIG_BUILD_DIR;

std::string test_qemu() {
  const char* chosen = std::getenv("RIG_TEST_QEMU");
  return chosen ? chosen : "qemu-system-x86_64";
}

model::MachineSpec timed(const std::string& topology) { return machine_spec(test::test_topology(topology)); }

// As without a hierarchy: every line, wherever it is, is as near as level 1.
model::MachineSpec without_distances() {
  model::MachineSpec spec = timed("q6600");
  for (auto& level : spec.levels) level.latency = level.transfer = 3, level.upgrade = 0;
  spec.package = {.transfer = 3, .upgrade = 0};
  spec.memory = {{3}};
  spec.bus_line = spec.bus_request = spec.memory_line = 0;
  return spec;
}

struct Scratch : TempDir {
  Scratch() : TempDir(fs::temp_directory_path(), "test-model") {}
};

SelftestSetup selftest_in(const Scratch& scratch) {
  SelftestSetup setup{.qemu = test_qemu(),
                      .plugin = build / "rig-model.so",
                      .kernel = test::test_kernel(),
                      .initrd = scratch.path() / "initrd",
                      .scratch = scratch.path()};
  const std::string program = read_file(build / "guest" / "rig-selftest");
  write_file(setup.initrd, cpio_archive({{.path = "init", .mode = 0100755, .data = program}}));
  return setup;
}

std::string told(const model::SelftestVerdict& verdict) {
  std::ostringstream text;
  text << verdict.fault << "\n";
  for (const auto& check : verdict.checks) {
    text << (check.good() ? "" : "WRONG ") << check.what << ": " << check.measured << ", expected " << check.expected
         << " ± " << check.tolerance << "\n";
  }
  return text.str();
}

struct Bytes {
  std::string results, report;
  bool operator==(const Bytes&) const = default;
};

// A modelled guest that runs the pinger, with a further word on its kernel's command line.
Bytes ping(const model::MachineSpec& spec, std::vector<std::string> arguments, const std::string& word = "rig.perturb=0") {
  const Scratch scratch;
  const SelftestSetup setup = selftest_in(scratch);
  std::string script = "rig-script 1\nresults serial:/dev/ttyS1\nstep ping\n  arg rig-pinger\n";
  for (const std::string& argument : arguments) script += "  arg " + argument + "\n";
  write_file(setup.initrd, test::test_initrd(script + "end\n", build / "guest" / "rig-pinger"));
  write_file(scratch.path() / "spec", model::to_text(spec));
  std::vector<std::string> argv = selftest_command(setup, spec);
  for (std::string& text : argv) {
    if (text.find("console=") == 0) text = word + " " + text;
    if (text.find("selftest.spec") == std::string::npos) continue;
    text = setup.plugin.string() + ",spec=" + (scratch.path() / "spec").string() +
           ",out=" + (scratch.path() / "report").string();
  }
  argv.insert(argv.end(), {"-serial", "file:" + (scratch.path() / "results").string()});
  const ProcessResult ended = run({.argv = argv, .limit = 5min});
  if (!ended.ok()) throw std::runtime_error("QEMU: " + ended.err);
  return {read_file(scratch.path() / "results"), read_file(scratch.path() / "report")};
}

double value_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  if (at == std::string::npos) throw std::runtime_error("no " + name + " in: " + text);
  return std::strtod(text.c_str() + at + name.size(), nullptr);
}

// Microseconds of a 40-byte round trip between CPU 0 and another.
double round_trip(const model::MachineSpec& spec, const std::string& server) {
  const Bytes bytes =
      ping(spec, {"udp-pingpong", "--count", "500", "--warmup", "50", "--client-cpu", "0", "--server-cpu", server});
  const ResultStream stream = decode_results(bytes.results);
  const std::string* out = stream.find("out/ping/0");
  if (!stream.complete || !out) throw std::runtime_error("no results: " + stream.fault);
  return value_after(*out, " mean_ns=") / 1000;
}

// Two threads that burn the host's CPUs while they live.
class BusyHost {
 public:
  BusyHost() {
    for (auto& thread : threads_) {
      thread = std::thread([this] {
        while (!stop_) {
        }
      });
    }
  }
  ~BusyHost() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::array<std::thread, 2> threads_;
};

}  // namespace

TEST_CASE("on the installed QEMU, guest time follows the model") {
  const std::string topology = GENERATE("q6600", "dell-1950");
  const Scratch scratch;
  const auto verdict = run_selftest(selftest_in(scratch), timed(topology));
  INFO(topology << ": " << told(verdict));
  CHECK(verdict.good());
}

TEST_CASE("a guest that follows one machine fails the self-test of another") {
  const Scratch scratch;
  const SelftestSetup setup = selftest_in(scratch);
  REQUIRE(run_selftest(setup, without_distances()).good());
  const auto verdict = model::judge_selftest(timed("q6600"), read_file(scratch.path() / "selftest.console"),
                                             model::parse_report(read_file(scratch.path() / "selftest.report")));
  INFO(told(verdict));
  CHECK_FALSE(verdict.good());
}

TEST_CASE("the same guest has the same history, byte for byte, whatever the host does") {
  const auto one = [] { return ping(timed("q6600"), {"tcp-rr", "--count", "200", "--pairs", "4"}); };
  const Bytes first = one();
  CHECK(decode_results(first.results).complete);
  const BusyHost busy;
  auto second = std::async(std::launch::async, one), third = std::async(std::launch::async, one);
  CHECK((second.get() == first));
  CHECK((third.get() == first));
}

TEST_CASE("another word on the kernel's command line is another history") {
  const auto one = [](const std::string& word) {
    return ping(timed("q6600"), {"tcp-rr", "--count", "50", "--pairs", "2"}, word).report;
  };
  CHECK((one("rig.perturb=1") != one("rig.perturb=22")));
}

TEST_CASE("distance costs what the machine says, and nothing where it has none") {
  const double same_cpu = round_trip(timed("q6600"), "0"), same_l2 = round_trip(timed("q6600"), "1"),
               same_package = round_trip(timed("q6600"), "2");
  INFO(same_cpu << " " << same_l2 << " " << same_package << " us");
  CHECK(same_cpu < same_l2);
  // two crossings a round trip
  CHECK(same_package - same_l2 > 2 * 2.0);
  CHECK(same_package - same_l2 < 2 * 8.0);

  const double near = round_trip(without_distances(), "1"), far = round_trip(without_distances(), "2");
  INFO("null control: " << near << " " << far << " us");
  CHECK(far / near > 0.98);
  CHECK(far / near < 1.02);
}

TEST_CASE("where the plug-in cannot work it says why, and QEMU ends with code 86") {
  const Scratch scratch;
  const SelftestSetup setup = selftest_in(scratch);
  const model::MachineSpec spec = timed("q6600");
  const auto refused = [&](const std::string& from, const std::string& to) {
    write_file(scratch.path() / "selftest.spec", model::to_text(spec));
    auto argv = selftest_command(setup, spec);
    bool changed = false;
    for (std::string& word : argv) {
      const std::size_t at = word.find(from);
      if (at == std::string::npos) continue;
      word.replace(at, from.size(), to);
      changed = true;
    }
    REQUIRE(changed);
    if (to.empty()) {
      std::erase(argv, "");
      std::erase(argv, "-icount");
    }
    const ProcessResult ended = run({.argv = argv, .limit = 60s});
    INFO(ended.err);
    CHECK(ended.exit_code == 86);
    return plugin_refusal(ended.err);
  };
  CHECK_THAT(refused("shift=3,sleep=off", ""), ContainsSubstring("-icount shift=N,sleep=off"));
  CHECK_THAT(refused(",out=", ",cpi=2,out="), ContainsSubstring("unknown argument 'cpi'"));
  CHECK_THAT(refused("selftest.spec", "none.spec"), ContainsSubstring("cannot read the machine's file"));
  CHECK_THAT(refused("selftest.spec", "initrd"), ContainsSubstring("line 1"));
  CHECK_THAT(refused("selftest.report", "no/such/place"), ContainsSubstring("cannot write the report"));
  write_file(scratch.path() / "eight.spec", model::to_text(timed("dell-1950")));
  CHECK_THAT(refused("selftest.spec", "eight.spec"), ContainsSubstring("describes 8 CPUs, QEMU's machine has 4"));
}

int main(int argc, char** argv) {
  start_under_reaper();
  return Catch::Session().run(argc, argv);
}
