// SPDX-License-Identifier: GPL-2.0-or-later
// A benchmark: its parameters, the steps a guest runs for it, and how its output is read.
// Adding one needs a YAML file below jobs/, and C++ only for a new kind of output.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rig/topology/topology.h"

namespace rig {

// A parameter takes a value or, in a matrix, a list; lists multiply.
struct JobParameter {
  enum class Type { Integer, Word };
  std::string name;  // "clients"
  Type type = Type::Integer;
  std::int64_t min = 0, max = 0;   // Integer, inclusive
  std::vector<std::string> words;  // Word: what is allowed
  std::string default_value;
  std::string help;  // one line, with the unit
};

// Text with {parameter} in it; also {client_cpu} and {server_cpu} where the job has placements (they
// expand to nothing in an unbound cell). In a job over a wire these are {interrupt_cpu}, which takes the
// interrupts of the guest that the step runs in, and {process_cpu}, where its process belongs. "{word?text}" is the
// text where the word is given, else nothing; "{word!text}" the other way round: a parameter is given where it is not
// 0, a CPU where the cell is bound. The text may hold {…} again. "{{" and "}}" are braces, outside such a text.
using Template = std::string;

// Guest milliseconds: base + factor × the parameter's value (a parameter counted in seconds: 1000).
struct StepLimit {
  std::int64_t base_ms = 60000;
  std::string parameter;  // empty: base alone
  std::int64_t factor_ms = 0;
};

struct JobStep {
  std::string name;            // "server"
  std::vector<Template> argv;  // an element that expands to nothing is left out
  bool background = false;
  Template copies = "1";
  Template cpu;           // empty: unbound
  int wait_tcp_port = 0;  // 0: none
  int wait_tcp_ms = 5000;
  // Of a program that does not mark its region of interest itself: guest time from its start to the
  // modelled part, and from there to its counting; -1: not marked.
  int model_begin_ms = -1;
  int model_count_ms = 0;
  StepLimit limit;
  bool in_peer = false;  // of a job over a wire: run by the peer guest
};

enum class Better { Higher, Lower };
struct Metric {
  std::string name;  // "throughput"
  std::string unit;  // "MB/s"
  Better better = Better::Higher;
  std::string help;
};

struct JobSpec {
  std::string name;  // "tbench"
  std::string title;
  std::string parser;  // a name in rig/job's table: tbench, pinger, netperf-rr
  std::vector<JobParameter> parameters;
  std::vector<Relation> placements;  // allowed values of the placement axis; empty: no such axis
  std::vector<std::pair<std::string, std::string>> sysctls;
  std::vector<std::string> programs;  // absolute paths the image must hold
  std::vector<JobStep> steps;
  std::vector<Metric> metrics;   // the first is the headline
  std::int64_t expected_ms = 0;  // guest milliseconds, for estimates
  // Its two ends are two guests on a wire; placements are relative to the CPU that takes the interrupt. A
  // parameter `bind` of the words both and local says whether the peer's process is bound too.
  bool over_wire = false;
};

}  // namespace rig
