// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs over a wire, and the peers of a matrix.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/unit/config/folder.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* wire_job =
    "job: wired\nparser: pinger\nover: wire\nplacements: [same-l2]\n"
    "parameters:\n  bind: {type: word, words: [both, local], default: both}\n"
    "steps:\n  - {name: ping, run: [rig-pinger, \"{process_cpu?--client-cpu}\", \"{process_cpu}\"]}\n"
    "  - {name: echo, at: peer, run: [rig-pinger, udp-echo, \"{interrupt_cpu}\"]}\n"
    "metrics: [{name: mean, unit: us, better: lower}]\n";

test::Folder wire_lab() {
  test::Folder folder = test::small_lab();
  folder.add("jobs/wired.yaml", wire_job);
  folder.add("kernels/oldest.yaml", "kernel: oldest\nsource: {debian: linux-source-6.1, suite: bookworm}\n");
  return folder;
}

std::string matrix_faults(const std::string& rest) {
  test::Folder folder = wire_lab();
  return folder.faults(folder.add("m.yaml", "name: m\nkernels: [plain, patched]\ntopologies: [pair]\n" + rest));
}

std::string job_faults_of(const std::string& from, const std::string& to) {
  test::Folder folder;
  std::string text = wire_job;
  text.replace(text.find(from), from.size(), to);
  return folder.faults(folder.add("jobs/wired.yaml", text));
}

}  // namespace

TEST_CASE("A job over a wire says which steps are the peer's") {
  const test::Folder folder = wire_lab();
  const JobSpec job = load_job(folder.path() / "jobs/wired.yaml");
  CHECK(job.over_wire);
  REQUIRE(job.steps.size() == 2);
  CHECK_FALSE(job.steps[0].in_peer);
  CHECK(job.steps[1].in_peer);
}

TEST_CASE("A job line's peer goes before the matrix's, key by key") {
  test::Folder folder = wire_lab();
  const MatrixSpec matrix =
      load_matrix(folder.add("m.yaml",
                             "name: m\nkernels: [plain, patched]\ntopologies: [pair]\npeer: {kernel: oldest}\njobs:\n"
                             "  - {job: wired, placement: same-l2}\n"
                             "  - {job: wired, placement: same-l2, peer: {kernel: plain, topology: two-packages}}\n"),
                  folder.store());
  REQUIRE(matrix.jobs.size() == 2);
  CHECK(matrix.jobs[0].peer == PeerAsked{"oldest", ""});
  CHECK(matrix.jobs[1].peer == PeerAsked{"plain", "two-packages"});
  REQUIRE(matrix.peer_kernels.size() == 2);
  CHECK(matrix.peer_kernels[0].name == "oldest");
  REQUIRE(matrix.peer_topologies.size() == 1);
  CHECK(matrix.kernels.size() == 2);
}

TEST_CASE("What is wrong with a peer is told where it stands") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"jobs: [{job: load, peer: {kernel: oldest}}]\n", "jobs[0].peer: job load runs in one guest: it has no peer"},
      {"peer: {kernel: oldest}\njobs: [{job: load}]\n", "m.yaml:4:1: peer: none of the jobs is over a wire"},
      {"jobs: [{job: wired, peer: {kernel: oldes}}]\n", "did you mean 'oldest'?"},
      {"jobs: [{job: wired, peer: {kernel: oldest, image: bench}}]\n",
       "jobs[0].peer.image: this key is not known here"},
      {"jobs: [{job: wired, peer: oldest}]\n", "jobs[0].peer"},
      {"jobs: [{job: wired, bind: none}]\n", "both or local"},
  }));
  CHECK_THAT(matrix_faults(text), ContainsSubstring(message));
}

TEST_CASE("What is wrong with a job's two ends is told where it stands") {
  CHECK_THAT(job_faults_of("over: wire", "over: loopback"),
             ContainsSubstring("this job runs in one guest: it has no peer"));
  CHECK_THAT(job_faults_of("over: wire", "over: wires"), ContainsSubstring("loopback or wire"));
  CHECK_THAT(job_faults_of(", at: peer", ""), ContainsSubstring("the peer has no foreground step"));
  CHECK_THAT(job_faults_of("{name: ping,", "{name: ping, at: peer,"),
             ContainsSubstring("the guest has no foreground step"));
  CHECK_THAT(job_faults_of("{interrupt_cpu}", "{client_cpu}"),
             ContainsSubstring("{client_cpu} is no parameter of this job"));
  CHECK_THAT(job_faults_of("[both, local]", "[both, none]"), ContainsSubstring("words: [both, local]"));
}

TEST_CASE("A job over a wire has no rounds inside a boot, and the matrix is told where it asks for them") {
  const std::string jobs = "jobs: [{job: wired, placement: all}]\n";
  CHECK_THAT(matrix_faults(jobs + "repeat: {boots: 2, rounds: 3}\n"),
             ContainsSubstring("m.yaml:5:28: repeat.rounds: a job over a wire is measured once a boot"));
  CHECK_THAT(matrix_faults(jobs + "repeat: {boots: 2, warmup: 1}\n"), ContainsSubstring("repeat.warmup: a job over"));
  CHECK(matrix_faults(jobs + "repeat: {boots: 2, rounds: 1}\n").empty());
}
