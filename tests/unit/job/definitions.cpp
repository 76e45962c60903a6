// SPDX-License-Identifier: GPL-2.0-or-later
// The definitions below jobs/ themselves: that they load, agree with the parsers, and give the
// scripts that the posts' commands ask for.
#include <catch2/catch_test_macros.hpp>

#include "fixtures.h"
#include "rig/config/config.h"

using namespace rig;
using fixtures::cell;
using Args = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const fs::path jobs = fs::path(RIG_SOURCE_DIR) / "jobs";

JobSpec load(const std::string& name) { return load_job(jobs / (name + ".yaml")); }

Args arguments(const JobSpec& job, const Cell& where, std::size_t step) {
  return make_script(job, where, "serial:/dev/ttyS1", 0).steps.at(step).argv;
}

}  // namespace

TEST_CASE("Every job below jobs/ loads and contradicts neither itself nor its parser") {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(jobs)) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path());
    const JobSpec job = load_job(entry.path());
    CHECK(job.name == entry.path().stem());
    CHECK(job_faults(job).empty());
    CHECK_FALSE(job.programs.empty());
    CHECK(job.expected_ms > 0);
    ++seen;
  }
  CHECK(seen >= 4);
}

TEST_CASE("jobs/tbench runs tbench as its manual page has it: options, clients, host") {
  const JobSpec job = load("tbench");
  CHECK(arguments(job, cell({{"clients", "8"}, {"seconds", "30"}}), 1) == Args{"tbench", "-t", "30", "8", "127.0.0.1"});
  const auto server = make_script(job, cell(), "", 0).steps.at(0);
  CHECK(server.background);
  CHECK(server.wait_tcp_port == 7003);
}

TEST_CASE("jobs/netperf-tcp-rr is the 2014 post's command with the buffers of its time") {
  const JobSpec job = load("netperf-tcp-rr");
  const auto script = make_script(job, cell(), "", 0);
  CHECK(script.sysctls ==
        std::vector<std::pair<std::string, std::string>>{{"net.ipv4.tcp_rmem", "4096 87380 6291456"},
                                                         {"net.ipv4.tcp_wmem", "4096 16384 4194304"}});
  const auto& netperf = script.steps.back();
  CHECK(netperf.copies == 4);
  CHECK(netperf.argv == Args{"netperf", "-4", "-H", "127.0.0.1", "-P", "0", "-l", "30", "-t", "TCP_RR"});
  CHECK(arguments(job, cell({{"transactions", "2000"}}), script.steps.size() - 1) ==
        Args{"netperf", "-4", "-H", "127.0.0.1", "-P", "0", "-l", "-2000", "-t", "TCP_RR"});
}

TEST_CASE("jobs/tcp-rr counts transactions, or seconds where they are given") {
  const JobSpec job = load("tcp-rr");
  CHECK(arguments(job, cell({{"clients", "4"}}), 0) ==
        Args{"rig-pinger", "tcp-rr", "--count", "2000", "--warmup", "500", "--timeout-ms", "20000", "--bytes", "1", "--pairs", "4"});
  CHECK(arguments(job, cell({{"clients", "4"}, {"seconds", "30"}}), 0) ==
        Args{"rig-pinger", "tcp-rr", "--seconds", "30", "--warmup", "500", "--timeout-ms", "20000", "--bytes", "1", "--pairs", "4"});
}

TEST_CASE("jobs/udp-pingpong sends the 2009 post's 40 bytes and binds both ends") {
  const JobSpec job = load("udp-pingpong");
  CHECK(job.placements.size() == 4);
  Cell where = cell();
  where.cpus = {0, 2};
  CHECK(arguments(job, where, 0) == Args{"rig-pinger", "udp-pingpong", "--count", "2000", "--warmup", "20",
                                         "--timeout-ms", "20000", "--bytes", "40", "--client-cpu", "0", "--server-cpu",
                                         "2"});
  CHECK(arguments(job, cell(), 0) == Args{"rig-pinger", "udp-pingpong", "--count", "2000", "--warmup", "20",
                                          "--timeout-ms", "20000", "--bytes", "40"});
}
