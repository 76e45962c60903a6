// SPDX-License-Identifier: GPL-2.0-or-later
// What a cell's peer did: that its steps ended well, and that its process was where it belongs.
#include <fmt/format.h>

#include "rig/job/job.h"
#include "rig/job/parser.h"
#include "rig/job/pinger_text.h"

namespace rig {
namespace job {
namespace {

// rig-pinger's echo says so in its head, and of itself in one line.
std::string echo_fault(const StepOutput& output, const Peer& peer) {
  std::string fault;
  bool ended = false;
  Fields echo;
  for (const auto line : whole_lines_of(output.out)) {
    if (line.starts_with("echo ")) echo = fields_of(line, 1, fault);
    ended = ended || line == "done";
  }
  if (!fault.empty()) return fault;
  if (!ended || echo.empty()) return "rig-pinger's echo is cut short: it ends without its count and \"done\"";
  return peer.process_cpu ? misplaced(echo, "server", *peer.process_cpu) : "";
}

}  // namespace
}  // namespace job

JobResult read_peer_results(const JobSpec& spec, const Cell& cell, const std::vector<StepOutput>& outputs) {
  std::vector<const StepOutput*> measured;
  if (auto fault = job::steps_fault(spec, cell, WireEnd::Peer, outputs, *job::find_parser(spec.parser), measured))
    return *fault;
  for (const StepOutput* output : measured) {
    if (!cell.peer || !output->out.starts_with("rig-pinger 1 mode=udp-echo")) continue;
    const std::string fault = job::echo_fault(*output, *cell.peer);
    if (!fault.empty())
      return job::failed(fault,
                         fault.starts_with("placement: ") ? Outcome::PlacementMismatch : Outcome::BenchmarkFailed);
  }
  return {};
}

}  // namespace rig
