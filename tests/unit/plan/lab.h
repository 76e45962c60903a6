// SPDX-License-Identifier: GPL-2.0-or-later
// A small matrix made by hand: two kernels, the Q6600's shape and a machine of two packages, two jobs.
#pragma once
#include "rig/plan/plan.h"

namespace rig::test {

inline Topology machine(const std::string& name, int sockets) {
  Topology t;
  t.name = name;
  t.cpu_model = "Penryn";
  t.sockets = sockets;
  t.dies = 2;
  t.cores = 2;
  t.caches.push_back({2, CacheType::Unified, 4u << 20, 0, 16, 64, 2});
  NumaNode node;
  for (int cpu = 0; cpu < sockets * 4; ++cpu) node.cpus.push_back(cpu);
  node.memory = 1u << 30;
  t.nodes.push_back(node);
  return t;
}

inline JobSpec load_job_spec() {
  JobSpec job;
  job.name = "load";
  job.parser = "tbench";
  job.parameters = {{"clients", JobParameter::Type::Integer, 1, 64, {}, "1", ""},
                    {"seconds", JobParameter::Type::Integer, 1, 60, {}, "3", ""}};
  job.steps = {{"load", {"tbench", "{clients}"}, false, "1", "", 0, 5000, {}}};
  job.metrics = {{"throughput", "MB/s", Better::Higher, ""}};
  job.expected_ms = 10000;
  return job;
}

inline JobSpec ping_job_spec() {
  JobSpec job;
  job.name = "ping";
  job.parser = "pinger";
  job.placements = {Relation::SameCpu, Relation::SameL2, Relation::SamePackage, Relation::OtherPackage};
  job.steps = {{"ping", {"rig-pinger"}, false, "1", "", 0, 5000, {}}};
  job.metrics = {{"mean", "us", Better::Lower, ""}};
  job.expected_ms = 2000;
  return job;
}

inline KernelSpec kernel(const std::string& name) {
  KernelSpec spec;
  spec.name = name;
  spec.title = name;
  spec.source = DebianSource{"linux-source-6.1", "bookworm"};
  return spec;
}

inline MatrixSpec matrix() {
  MatrixSpec m;
  m.name = "m";
  m.kernels = {kernel("plain"), kernel("patched")};
  m.baseline = "plain";
  m.topologies = {machine("quad", 1)};
  m.definitions = {load_job_spec(), ping_job_spec()};
  m.jobs = {{"load", {{"clients", {"1", "2", "4"}}}, {}, false}};
  m.image = {"bench", "bookworm", {{"dbench", "main", false, {"/usr/bin/tbench"}}}};
  return m;
}

}  // namespace rig::test
