// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fixtures.h"
#include "rig/job/template.h"

using namespace rig;
using namespace fixtures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Args = std::vector<std::string>;

namespace {

GuestScript script(const JobSpec& job, const Cell& where) { return make_script(job, where, "serial:/dev/ttyS1", 1000); }

std::string expand(const Template& text) { return job::expand(text, {{"a", {"7", true}}, {"zero", {"0", false}}, {"cpu", {"0", true}}, {"none", {"", false}}}); }

}  // namespace

TEST_CASE("A word is its value, a conditional its text where the word is given or where it is not") {
  CHECK(expand("{a}") == "7");
  CHECK(expand("-{a}-{zero}-") == "-7-0-");
  CHECK(expand("{a?yes}{zero?yes}{cpu?yes}{none?yes}") == "yesyes");
  CHECK(expand("{a!no}{zero!no}{cpu!no}{none!no}") == "nono");
  CHECK(expand("{a?-{a}}{zero!{a}}") == "-77");
  CHECK(expand("{a?x{zero!y{cpu?z}}}") == "xyz");
  CHECK(expand("{{a}}") == "{a}");
  CHECK(expand("") == "");
  CHECK(expand("{none}") == "");
}

TEST_CASE("A template that cannot be filled in says why") {
  const auto says = [](const char* text) { return MessageMatches(ContainsSubstring(text)); };
  CHECK_THROWS_MATCHES(expand("{clinets}"), InputError, says("{clinets}, which this job does not know; allowed: a, cpu, none or zero"));
  CHECK_THROWS_MATCHES(expand("{zer0}"), InputError, says("did you mean {zero}?"));
  CHECK_THROWS_MATCHES(expand("{a?{nope}}"), InputError, says("{nope}"));
  CHECK_THROWS_MATCHES(expand("{zero?{nope}}"), InputError, says("{nope}"));   // also where it is not taken
  CHECK_THROWS_MATCHES(expand("{a"), InputError, says("without its '}'"));
  CHECK_THROWS_MATCHES(expand("{a?b"), InputError, says("without its '}'"));
  CHECK_THROWS_MATCHES(expand("a}"), InputError, says("closes nothing"));
  CHECK_THROWS_MATCHES(expand("{}"), InputError, says("{}"));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{a?";
  CHECK_THROWS_MATCHES(expand(deep), InputError, says("nested too deeply"));
}

TEST_CASE("tbench's script: a server to wait for, then the clients under a limit that grows with the seconds") {
  const GuestScript out = script(tbench(), cell({{"clients", "8"}, {"seconds", "30"}}));
  CHECK(out.results == "serial:/dev/ttyS1");
  CHECK(out.heartbeat_ms == 1000);
  REQUIRE(out.steps.size() == 2);
  CHECK(out.steps[0] == ScriptStep{.name = "server", .argv = {"tbench_srv"}, .limit_ms = 60000, .background = true, .wait_tcp_port = 7003, .wait_tcp_ms = 5000});
  CHECK(out.steps[1] == ScriptStep{.name = "tbench", .argv = {"tbench", "-t", "30", "8", "127.0.0.1"}, .limit_ms = 150000});
}

TEST_CASE("A parameter that the cell leaves out has its default") {
  CHECK(script(tbench(), cell()).steps[1].argv == Args{"tbench", "-t", "3", "1", "127.0.0.1"});
}

TEST_CASE("netperf runs so many copies, by seconds or by transactions") {
  const auto seconds = script(netperf(), cell({{"clients", "4"}})).steps[1];
  CHECK(seconds.copies == 4);
  CHECK(seconds.argv == Args{"netperf", "-4", "-H", "127.0.0.1", "-P", "0", "-l", "30", "-t", "TCP_RR"});
  const auto counted = script(netperf(), cell({{"clients", "4"}, {"transactions", "2000"}})).steps[1];
  CHECK(counted.argv == Args{"netperf", "-4", "-H", "127.0.0.1", "-P", "0", "-l", "-2000", "-t", "TCP_RR"});
}

TEST_CASE("Both ends of the pinger are bound in a bound cell, CPU 0 included, and left alone in another") {
  Cell where = cell();
  where.cpus = {0, 5};
  CHECK(script(pinger("udp-pingpong"), where).steps[0].argv == Args{"rig-pinger", "udp-pingpong", "--count", "1000", "--client-cpu", "0", "--server-cpu", "5"});
  CHECK(script(pinger("udp-pingpong"), cell()).steps[0].argv == Args{"rig-pinger", "udp-pingpong", "--count", "1000"});
}

TEST_CASE("A step may itself be bound to a CPU") {
  JobSpec job = pinger("udp-pingpong");
  job.steps[0].cpu = "{client_cpu}";
  Cell where = cell();
  where.cpus = {3, 1};
  CHECK(script(job, where).steps[0].cpu == 3);
  CHECK(script(job, cell()).steps[0].cpu == -1);
}

TEST_CASE("A script that cannot be made says where and what") {
  const auto says = [](const char* text) { return MessageMatches(ContainsSubstring(text)); };
  JobSpec job = tbench();
  job.steps[1].argv[2] = "{second}";
  CHECK_THROWS_MATCHES(script(job, cell()), InputError, says("job tbench, step tbench: run \"{second}\" has {second}"));
  job = tbench();
  job.steps[1].argv = {"{clients!x}"};
  CHECK_THROWS_MATCHES(script(job, cell()), InputError, says("run is empty"));
  job = netperf();
  CHECK_THROWS_MATCHES(script(job, cell({{"clients", "0"}})), InputError, says("copies is \"0\"; allowed: a whole number from 1"));
  CHECK_THROWS_MATCHES(script(job, cell({{"clients", "three"}})), InputError, says("copies is \"three\""));
  job.steps[1].limit.parameter = "hours";
  CHECK_THROWS_MATCHES(script(job, cell()), InputError, says("limit is per \"hours\""));
  job = tbench();   // no placements: no CPUs to bind to
  job.steps[1].argv.emplace_back("{client_cpu}");
  CHECK_THROWS_MATCHES(script(job, cell()), InputError, says("{client_cpu}"));
}

TEST_CASE("A limit cannot run over, however large its parameter") {
  JobSpec job = tbench();
  job.steps[1].limit = {60000, "seconds", 1000000000000LL};
  CHECK(script(job, cell({{"seconds", "600000000"}})).steps[1].limit_ms == 7LL * 24 * 3600 * 1000);
}

TEST_CASE("A job that contradicts itself or the parsers is found before anything starts") {
  CHECK(job_faults(tbench()).empty());
  CHECK(job_faults(netperf()).empty());
  CHECK(job_faults(pinger("udp-pingpong")).empty());
  const auto first = [](const JobSpec& job) { return job_faults(job).empty() ? std::string() : job_faults(job).front(); };
  JobSpec job = tbench();
  job.parser = "dbench";
  CHECK_THAT(first(job), ContainsSubstring("no parser \"dbench\"; allowed: netperf-rr, pinger or tbench"));
  job = tbench();
  job.metrics[1].name = "line";
  CHECK_THAT(first(job), ContainsSubstring("no metric \"line\"; allowed: throughput, lines or max_latency"));
  job = tbench();
  job.metrics[0].unit = "MiB/s";
  CHECK_THAT(first(job), ContainsSubstring("throughput in MB/s, not in MiB/s"));
  job = tbench();
  job.metrics.clear();
  CHECK_THAT(first(job), ContainsSubstring("no metrics"));
  job = tbench();
  job.steps[1].background = true;
  CHECK_THAT(first(job), ContainsSubstring("no foreground step"));
  job = pinger("udp-pingpong");
  job.steps[0].argv.emplace_back("{servr_cpu}");
  CHECK_THAT(first(job), ContainsSubstring("did you mean {server_cpu}?"));
  CHECK_THROWS_AS(read_results(job, cell(), {}), InputError);
}

TEST_CASE("Only metrics that the job declares are given") {
  JobSpec job = tbench();
  job.metrics.resize(1);
  const auto result = read_results(job, cell({{"clients", "1"}}), {output("tbench", "tbench-host-1.txt")});
  REQUIRE(result.samples.size() == 1);
  CHECK(result.samples[0].metric == "throughput");
  // Of a short run nothing declared is left, which is a failure and not an empty success.
  CHECK(is_clean_failure(read_results(job, cell({{"clients", "4"}}), {output("tbench", "tbench-host-4.txt")})));
}

TEST_CASE("A foreground step before the measured one that fails is the failure") {
  JobSpec job = tbench();
  job.steps.insert(job.steps.begin(), {.name = "address", .argv = {"busybox", "ip"}});
  std::vector<StepOutput> outputs = {{"address", 0, "", "ip: RTNETLINK answers: File exists\n", "exit 2 ms=1 cpus=1"}};
  CHECK_THAT(read_results(job, cell(), outputs).failure, ContainsSubstring("address ended with exit 2: ip: RTNETLINK answers: File exists"));
  outputs[0].status = "exit 0 ms=1 cpus=1";
  CHECK_THAT(read_results(job, cell(), outputs).failure, ContainsSubstring("0 of 1 outputs of step tbench"));
  outputs.push_back(output("tbench", "tbench-host-1.txt"));
  CHECK(read_results(job, cell(), outputs).failure.empty());
}
