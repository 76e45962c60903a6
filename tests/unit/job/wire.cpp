// SPDX-License-Identifier: GPL-2.0-or-later
// The job that rig ships for two guests on a wire, from its definition to the scripts of both.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/config/config.h"
#include "rig/job/job.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;

namespace {

JobSpec shipped() {
  return load_job(std::string(RIG_SOURCE_DIR) + "/jobs/udp-pingpong-wire.yaml", JobRules{parser_names(), job_faults});
}

Cell cell_of(std::optional<int> peer_process) {
  Cell cell;
  cell.job = "udp-pingpong-wire";
  cell.parameters = {{"bytes", "40"}, {"count", "1000"}, {"warmup", "100"}, {"bind", peer_process ? "both" : "local"}};
  cell.placement = Relation::SamePackage;
  cell.cpus = {0, 2};
  cell.peer = Peer{{}, "k", "t", 0, peer_process};
  return cell;
}

std::vector<std::string> names(const GuestScript& script) {
  std::vector<std::string> all;
  for (const auto& step : script.steps) all.push_back(step.name);
  return all;
}

bool has(const std::vector<std::string>& argv, const std::string& option, const std::string& value) {
  for (std::size_t i = 0; i + 1 < argv.size(); ++i) {
    if (argv[i] == option) return argv[i + 1] == value;
  }
  return false;
}

}  // namespace

TEST_CASE("Each guest has its own steps: some packets first, then the measured ones") {
  const auto guest = make_script(shipped(), cell_of(2), "virtio:rig.results", 1000, WireEnd::Guest);
  const auto peer = make_script(shipped(), cell_of(2), "virtio:rig.results", 1000, WireEnd::Peer);
  CHECK(names(guest) == std::vector<std::string>{"settle", "pinger"});
  CHECK(names(peer) == std::vector<std::string>{"settle-echo", "echo"});
  CHECK(measured_step(shipped(), WireEnd::Guest)->name == "pinger");
  CHECK(measured_step(shipped(), WireEnd::Peer)->name == "echo");
  CHECK(has(guest.steps[0].argv, "--count", "20"));  // at least 10, for interrupts to come to their new CPU
  for (std::size_t i : {0u, 1u}) CHECK(has(guest.steps[i].argv, "--to", peer_host));
  CHECK(has(guest.steps[1].argv, "--port", "7001"));
  CHECK(has(peer.steps[1].argv, "--port", "7001"));
}

TEST_CASE("Both processes are bound where the placement puts them, or the guest's alone") {
  const auto argv = [](std::optional<int> process, WireEnd end) {
    return make_script(shipped(), cell_of(process), "virtio:rig.results", 1000, end).steps[1].argv;
  };
  CHECK(has(argv(6, WireEnd::Guest), "--client-cpu", "2"));
  CHECK(has(argv(6, WireEnd::Peer), "--server-cpu", "6"));
  CHECK(has(argv(std::nullopt, WireEnd::Guest), "--client-cpu", "2"));
  const auto free = argv(std::nullopt, WireEnd::Peer);
  CHECK(std::find(free.begin(), free.end(), "--server-cpu") == free.end());
}

TEST_CASE("A peer that ended badly is told by what it said") {
  const std::string good =
      "rig-pinger 1 mode=udp-echo bytes=40 port=7001 server_cpu=2\necho n=9 server_mask=4 server_cpus=4\ndone\n";
  const StepOutput settled{"settle-echo", 0, good, "", "exit 0 ms=1 cpus=4"};
  CHECK(
      read_peer_results(shipped(), cell_of(2), {settled, {"echo", 0, good, "", "exit 0 ms=1 cpus=4"}}).failure.empty());
  const auto silent = read_peer_results(
      shipped(), cell_of(2),
      {settled,
       {"echo", 0, "", "rig-pinger: the client said nothing for 60000 ms, and no bye (7 datagrams echoed)\n",
        "exit 1 ms=9 cpus=4"}});
  CHECK(silent.outcome == Outcome::BenchmarkFailed);
  CHECK_THAT(silent.failure, ContainsSubstring("the client said nothing for 60000 ms"));
  CHECK_THAT(read_peer_results(shipped(), cell_of(2), {settled}).failure,
             ContainsSubstring("0 of 1 outputs of step echo"));
  CHECK(read_peer_results(shipped(), cell_of(3), {settled, {"echo", 0, good, "", "exit 0 ms=1 cpus=4"}}).outcome ==
        Outcome::PlacementMismatch);
}
