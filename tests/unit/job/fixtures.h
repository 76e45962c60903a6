// SPDX-License-Identifier: GPL-2.0-or-later
// The captured outputs below tests/fixtures/benchmarks, as the guest would give them back, and small
// jobs round the real ones.
#pragma once
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rig/job/job.h"

namespace fixtures {

inline std::string raw(const std::string& name) {
  return rig::read_file(std::string(RIG_SOURCE_DIR) + "/tests/fixtures/benchmarks/" + name);
}

// Without the capturing shell's last "rc=N" line, which becomes the status (124: the time limit).
inline rig::StepOutput output(const std::string& step, const std::string& name, int copy = 0) {
  rig::StepOutput out{step, copy, raw(name), "", "exit 0 ms=3000 cpus=f"};
  const auto rc = out.out.rfind("\nrc=");
  if (rc != std::string::npos) {
    const std::string code = out.out.substr(rc + 4, out.out.find('\n', rc + 1) - rc - 4);
    out.status = code == "124" ? "limit ms=60000 cpus=f" : "exit " + code + " ms=3000 cpus=f";
    out.out.resize(rc + 1);
  }
  return out;
}

// One output a copy, from lines that begin "[COPY] ".
inline std::vector<rig::StepOutput> parallel(const std::string& step, const std::string& name, int copies) {
  std::vector<rig::StepOutput> outputs;
  for (int i = 0; i < copies; ++i) outputs.push_back({step, i, "", "", "exit 0 ms=4000 cpus=f"});
  const std::string text = raw(name);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    outputs.at(static_cast<std::size_t>(std::stoi(line.substr(1)) - 1)).out += line.substr(line.find("] ") + 2) + "\n";
    at = end + 1;
  }
  return outputs;
}

inline rig::JobParameter integer(const std::string& name, const std::string& value) {
  return {name, rig::JobParameter::Type::Integer, 0, 1000000, {}, value, ""};
}

inline rig::JobSpec tbench() {
  rig::JobSpec job;
  job.name = "tbench";
  job.parser = "tbench";
  job.parameters = {integer("clients", "1"), integer("seconds", "3")};
  job.programs = {"/usr/bin/tbench", "/usr/bin/tbench_srv"};
  job.steps = {{.name = "server", .argv = {"tbench_srv"}, .background = true, .wait_tcp_port = 7003},
               {.name = "tbench", .argv = {"tbench", "-t", "{seconds}", "{clients}", "127.0.0.1"}, .limit = {60000, "seconds", 3000}}};
  job.metrics = {{"throughput", "MB/s", rig::Better::Higher, ""}, {"lines", "lines/s", rig::Better::Higher, ""}, {"max_latency", "ms", rig::Better::Lower, ""}};
  return job;
}

inline rig::JobSpec netperf() {
  rig::JobSpec job;
  job.name = "netperf-tcp-rr";
  job.parser = "netperf-rr";
  job.parameters = {integer("clients", "4"), integer("transactions", "0"), integer("seconds", "30")};
  job.steps = {{.name = "server", .argv = {"netserver", "-D", "-4"}, .background = true, .wait_tcp_port = 12865},
               {.name = "netperf",
                .argv = {"netperf", "-4", "-H", "127.0.0.1", "-P", "0", "-l", "{transactions?-{transactions}}{transactions!{seconds}}", "-t", "TCP_RR"},
                .copies = "{clients}"}};
  job.metrics = {{"rate", "trans/s", rig::Better::Higher, ""}};
  return job;
}

inline rig::JobSpec pinger(const std::string& mode) {
  rig::JobSpec job;
  job.name = mode;
  job.parser = "pinger";
  job.parameters = {integer("bytes", mode == "tcp-rr" ? "1" : "40"), integer("count", "1000")};
  if (mode == "tcp-rr") job.parameters.push_back(integer("clients", "1"));
  if (mode != "tcp-rr") job.placements = {rig::Relation::SameCpu, rig::Relation::SameL2, rig::Relation::SamePackage, rig::Relation::OtherPackage};
  job.steps = {{.name = "pinger", .argv = {"rig-pinger", mode, "--count", "{count}"}}};
  if (mode != "tcp-rr") {
    for (const char* element : {"{client_cpu?--client-cpu}", "{client_cpu}", "{server_cpu?--server-cpu}", "{server_cpu}"}) job.steps[0].argv.emplace_back(element);
  }
  job.metrics = {{"mean", "us", rig::Better::Lower, ""}, {"median", "us", rig::Better::Lower, ""}, {"min", "us", rig::Better::Lower, ""},
                 {"p99", "us", rig::Better::Lower, ""}, {"max", "us", rig::Better::Lower, ""}, {"rate", "trans/s", rig::Better::Higher, ""}};
  return job;
}

inline rig::Cell cell(std::map<std::string, std::string> parameters = {}) {
  rig::Cell out;
  out.parameters = std::move(parameters);
  return out;
}

// The value of a metric's instance; NaN where there is none.
inline double value(const rig::JobResult& result, const std::string& metric, int instance = 0) {
  for (const auto& sample : result.samples) {
    if (sample.metric == metric && sample.instance == instance) return sample.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

inline bool has(const rig::JobResult& result, const std::string& metric) {
  for (const auto& sample : result.samples) {
    if (sample.metric == metric) return true;
  }
  return false;
}

// Text with the first place of one thing replaced by another; the test is wrong where it is not there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no \"" + from + "\" in the fixture");
  return text.replace(at, from.size(), to);
}

// A failure is a message without samples, and quotes nothing unprintable.
inline bool is_clean_failure(const rig::JobResult& result) {
  for (const char c : result.failure) {
    if (c < ' ' || c == '\x7f') return false;
  }
  return !result.failure.empty() && result.samples.empty() && result.outcome != rig::Outcome::Ok && result.failure.size() < 800;
}

}  // namespace fixtures
