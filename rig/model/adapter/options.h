// SPDX-License-Identifier: GPL-2.0-or-later
// The plug-in's arguments: -plugin FILE,spec=FILE,out=FILE[,quantum=CYCLES][,verbose=on].
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace rig::model {

struct Options {
  std::string spec;             // the machine, as to_text(MachineSpec) writes it
  std::string out;              // the report (rig/model/report.h)
  std::uint64_t quantum = 2400;  // cycles that a vCPU may run ahead of the slowest
  bool verbose = false;         // the model's own speed on standard error, at each region's end
};

struct ParsedOptions {
  Options options;
  std::string fault;  // what is wrong, for people; empty where nothing is
};
ParsedOptions parse_options(std::span<const char* const> arguments);

}  // namespace rig::model
