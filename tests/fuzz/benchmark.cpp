// SPDX-License-Identifier: GPL-2.0-or-later
// What a benchmark's program prints, read as that of every job: output, errors and status, with NUL bytes between.
#include <cmath>

#include "rig/config/config.h"
#include "rig/job/job.h"
#include "target.h"

namespace rig::fuzz {
namespace {

struct Subject {
  JobSpec job;
  Cell cell;
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = [] {
    std::vector<Subject> made;
    for (const char* name : {"tbench", "netperf-tcp-rr", "tcp-rr", "udp-pingpong"}) {
      Subject subject{load_job(std::string(RIG_SOURCE_DIR) + "/jobs/" + name + ".yaml"), {}};
      subject.cell.id = "0123456789ab";
      subject.cell.job = name;
      for (const auto& parameter : subject.job.parameters)
        subject.cell.parameters[parameter.name] = parameter.default_value;
      made.push_back(std::move(subject));
    }
    return made;
  }();
  return all;
}

}  // namespace

namespace {

void read_as(const Subject& subject, std::string_view bytes) {
  const auto parts = pieces(bytes, 3);
  std::vector<StepOutput> outputs;
  const JobStep* measured = measured_step(subject.job);
  for (const auto& step : subject.job.steps) {
    if (&step != measured)
      outputs.push_back({step.name, 0, "", "", step.background ? "signal 9 ms=1 cpus=1" : "exit 0 ms=1 cpus=1"});
  }
  outputs.push_back({measured->name, 0, parts[0], parts[1], parts[2].empty() ? "exit 0 ms=3000 cpus=f" : parts[2]});
  const JobResult result = read_results(subject.job, subject.cell, outputs);
  require((result.outcome == Outcome::Ok) == result.failure.empty(), "a failure says why, a success nothing");
  require(clean(result.failure) && result.failure.size() < 2000, "a failure can be printed");
  require(result.failure.empty() || result.samples.empty(), "a failure has no samples");
  require(result.lost >= 0, "what is lost is counted from none");
  for (const auto& sample : result.samples) {
    require(std::isfinite(sample.value) && sample.value >= 0, "a sample is a number and not below zero");
    const auto& metrics = subject.job.metrics;
    require(std::any_of(metrics.begin(), metrics.end(), [&](const auto& m) { return m.name == sample.metric; }),
            "a sample is of a metric of its job");
  }
  for (const auto& note : result.notes) require(clean(note), "a note can be printed");
}

}  // namespace

void one(std::string_view bytes) {
  for (const auto& subject : subjects()) read_as(subject, bytes);
}

}  // namespace rig::fuzz
