// SPDX-License-Identifier: GPL-2.0-or-later
// A guest's results stream, as it stands and with the trailer that would make it whole, to the judgement of its
// attempt.
#include <cmath>

#include "rig/config/config.h"
#include "rig/run/judge.h"
#include "rig/run/wire_proof.h"
#include "target.h"

namespace rig::fuzz {
namespace {

const Topology& machine() {
  static const Topology q6600 = load_topology(std::string(RIG_SOURCE_DIR) + "/topologies/q6600.yaml");
  return q6600;
}

const JobSpec& job() {
  static const JobSpec tcp_rr = load_job(std::string(RIG_SOURCE_DIR) + "/jobs/tcp-rr.yaml");
  return tcp_rr;
}

void judged(std::string_view bytes) {
  AttemptFacts facts;
  facts.session.end = DomainEnd::PowerOff;
  facts.results_begun = !bytes.empty();
  facts.results = decode_results(bytes);
  facts.console = std::string(bytes.substr(0, 4096));
  require(facts.results.complete == facts.results.fault.empty(), "a stream is whole or has a fault");
  require(clean(facts.results.fault), "a fault can be printed");
  static const Cell cell = [] {
    Cell made;
    made.id = "0123456789ab";
    made.job = "tcp-rr";
    for (const auto& parameter : job().parameters) made.parameters[parameter.name] = parameter.default_value;
    return made;
  }();
  const Judgement judgement = judge(facts, machine(), job(), cell);
  require((judgement.outcome == Outcome::Ok) == judgement.reason.empty(), "a failure has a reason, a success none");
  require(facts.results.complete || judgement.outcome != Outcome::Ok, "of a stream in part nothing counts");
  require(judgement.outcome == Outcome::Ok || judgement.samples.empty(), "a failure has no samples");
  for (const auto& sample : judgement.samples)
    require(std::isfinite(sample.value) && sample.value >= 0, "a sample is a number and not below zero");
  for (const auto& frame : facts.results.frames) {
    const auto slash = frame.name.find('/');
    if (slash != std::string::npos) prove_wire(facts.results, frame.name.substr(slash + 1), 0, 1);
  }
}

}  // namespace

void one(std::string_view bytes) {
  judged(bytes);
  const auto trailer = bytes.rfind("@end ");
  std::string whole(bytes.substr(0, trailer));
  if (!whole.starts_with("@rig 1\n")) whole.insert(0, "@rig 1\n");
  const std::string sum = sha256(whole);
  judged(whole + "@end " + std::to_string(whole.size()) + " " + sum + "\n");
}

}  // namespace rig::fuzz
