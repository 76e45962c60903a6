// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fixtures.h"

using namespace rig;
using namespace fixtures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

JobResult read(std::vector<StepOutput> outputs, int clients = 1) { return read_results(netperf(), cell({{"clients", std::to_string(clients)}}), outputs); }
JobResult read_text(const std::string& text) { return read({{"netperf", 0, text, "", "exit 0"}}); }

// The 2014 post's four lines, one a process.
std::vector<StepOutput> post(const std::vector<const char*>& rates) {
  std::vector<StepOutput> outputs;
  for (const char* rate : rates) {
    outputs.push_back({"netperf", static_cast<int>(outputs.size()), std::string("16384  87380  1        1       30.00    ") + rate + "   \n16384  87380 \n", "", "exit 0"});
  }
  return outputs;
}

}  // namespace

TEST_CASE("netperf: the 2014 post's four clients give their sum and each client's rate") {
  const auto result = read(post({"72436.65", "72438.55", "72213.18", "72493.48"}), 4);
  CHECK(result.failure.empty());
  CHECK_THAT(value(result, "rate"), WithinRel(289581.86, 1e-12));
  CHECK(value(result, "rate", 1) == 72436.65);
  CHECK(value(result, "rate", 4) == 72493.48);
  CHECK(result.samples.size() == 5);
  CHECK(result.notes.empty());
}

TEST_CASE("netperf: real outputs of one, two and four processes") {
  const auto one = read(parallel("netperf", "netperf-parallel-1.txt", 1));
  CHECK(value(one, "rate") == 26744.20);
  CHECK(one.samples.size() == 1);   // the only one is the sum
  CHECK_THAT(value(read(parallel("netperf", "netperf-parallel-2.txt", 2), 2), "rate"), WithinRel(55746.07 + 50935.07, 1e-12));
  CHECK_THAT(value(read(parallel("netperf", "netperf-parallel-4.txt", 4), 4), "rate"), WithinRel(15213.02 + 18005.73 + 17353.02 + 16787.13, 1e-12));
}

TEST_CASE("netperf: the banner that -P 0 leaves out is passed over") {
  CHECK(value(read({output("netperf", "netperf-tcp_rr.txt")}), "rate") == 18724.44);
  CHECK(value(read({output("netperf", "netperf-tcp_rr-P0.txt")}), "rate") == 36147.72);
}

TEST_CASE("netperf: no netserver is named as the cause") {
  const auto real = output("netperf", "netperf-noserver.txt");
  REQUIRE(real.status.starts_with("exit 255"));
  const auto result = read({real});
  CHECK(is_clean_failure(result));
  CHECK(result.outcome == Outcome::BenchmarkFailed);
  CHECK_THAT(result.failure, ContainsSubstring("no netserver answered"));
}

TEST_CASE("netperf: key=value output has no line of six figures") {
  CHECK(is_clean_failure(read({output("netperf", "netperf-tcp_rr-k.txt")})));
  CHECK_THAT(read({output("netperf", "netperf-omni-udp-rr-k.txt")}).failure, ContainsSubstring("no line of six figures"));
}

TEST_CASE("netperf: other tools' outputs are no results") {
  for (const char* name : {"hackbench.txt", "perf-bench-messaging.txt", "perf-bench-pipe.txt", "sockperf-noserver.txt", "sockperf-pp-rtt.txt", "tbench-host-1.txt"}) {
    INFO(name);
    CHECK(is_clean_failure(read({output("netperf", name)})));
  }
}

TEST_CASE("netperf: a killed process leaves nothing, and nothing is a failure") {
  CHECK_THAT(read({{"netperf", 0, "", "", "exit 0"}}).failure, ContainsSubstring("printed nothing"));
  CHECK(read({{"netperf", 0, "", "", "limit ms=1 cpus=1"}}).outcome == Outcome::Timeout);
  CHECK_THAT(read({{"netperf", 0, "", "", "signal 15 ms=1 cpus=1"}}).failure, ContainsSubstring("signal 15"));
}

TEST_CASE("netperf: a doubtful figure (-I not met) is no result though netperf exits 0") {
  CHECK_THAT(read_text("!!! WARNING\n!!! Desired confidence was not achieved within the specified iterations.\n16384  87380  1        1       30.00    72436.65\n").failure,
             ContainsSubstring("doubts its own figure"));
}

TEST_CASE("netperf: an output too few, too many or twice is a failure") {
  auto outputs = post({"72436.65", "72438.55", "72213.18"});
  CHECK_THAT(read(outputs, 4).failure, ContainsSubstring("3 of 4 outputs"));
  outputs.push_back(outputs[0]);
  CHECK_THAT(read(outputs, 4).failure, ContainsSubstring("two outputs of process 1"));
  CHECK_THAT(read(post({"1.0", "2.0"}), 1).failure, ContainsSubstring("process 2 of step netperf, which has 1"));
  CHECK(is_clean_failure(read({}, 1)));
}

TEST_CASE("netperf: one bad process of four spoils the sum") {
  auto outputs = post({"72436.65", "72438.55", "72213.18", "72493.48"});
  outputs[2].out = "16384  87380  1        1       30.00    0.00\n";
  const auto result = read(outputs, 4);
  CHECK(is_clean_failure(result));
  CHECK_THAT(result.failure, ContainsSubstring("process 3 of 4") && ContainsSubstring("is 0"));
}

TEST_CASE("netperf: hostile lines are failures that say what is wrong") {
  const std::pair<const char*, const char*> cases[] = {
      {"16384  87380  1        1       30.00    nan\n", "no number"},
      {"16384  87380  1        1       30.00    inf\n", "no number"},
      {"16384  87380  1        1       30.00    -5.00\n", "negative"},
      {"16384  87380  1        1       30.00    1e308\n", "nothing here can reach"},
      {"16384  87380  1        1       0.00     72436.65\n", "too short to measure"},
      {"16384  87380  1        1       30.00\n", "no line of six figures"},
      {"16384  87380  1        1       30.00    72436.65 us\n", "no line of six figures"},
      {"16384  87380  1        1       30.00    \x1b[1m72436.65\x1b[0m\n", "no number"},
      {"\x1b[2J16384  87380  1        1       30.00    72436.65\n", "no line of six figures"},
      {"16384  87380  1        1       30.00    72436.65\n16384  87380  1        1       30.00    72436.65\n", "two result lines"},
      {"16384  87380  1        1       30.00    724", "no line of six figures"},   // cut inside the figure
  };
  for (const auto& [text, says] : cases) {
    const auto result = read_text(text);
    INFO(text << " -> " << result.failure);
    CHECK(is_clean_failure(result));
    CHECK_THAT(result.failure, ContainsSubstring(says));
  }
}

TEST_CASE("netperf: socket sizes other than the job's sysctls ask for are noted") {
  JobSpec job = netperf();
  job.sysctls = {{"net.ipv4.tcp_rmem", "4096 87380 6291456"}, {"net.ipv4.tcp_wmem", "4096 16384 4194304"}};
  CHECK(read_results(job, cell({{"clients", "2"}}), post({"1.5", "2.5"})).notes.empty());
  const auto other = read_results(job, cell({{"clients", "2"}}), parallel("netperf", "netperf-parallel-2.txt", 2));
  REQUIRE(other.notes.size() == 1);
  CHECK_THAT(other.notes[0], ContainsSubstring("16384 131072 bytes") && ContainsSubstring("16384 87380"));
}

TEST_CASE("netperf: clients that did not run at one time are noted") {
  auto outputs = post({"72436.65", "72438.55"});
  outputs[1].out = replaced(outputs[1].out, "30.00", "45.00");
  const auto result = read(outputs, 2);
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes[0], ContainsSubstring("30.00 to 45.00 s"));
}

TEST_CASE("A server that died is named beside what its clients say") {
  std::vector<StepOutput> outputs = {{"server", 0, "", "bind: Address already in use\n", "exit 1 ms=3 cpus=1"}, {"netperf", 0, "", "recv: Connection reset\n", "exit 1 ms=5 cpus=1"}};
  const auto result = read(outputs);
  CHECK(is_clean_failure(result));
  CHECK_THAT(result.failure, ContainsSubstring("recv: Connection reset") && ContainsSubstring("server had ended with exit 1: bind: Address already in use"));
}
