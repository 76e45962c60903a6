// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/options.h"

#include <charconv>
#include <string_view>
#include <vector>

namespace rig::model {
namespace {

constexpr std::uint64_t least_quantum = 100, greatest_quantum = 100'000'000;

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string set_quantum(Options& options, std::string_view value) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options.quantum);
  if (error == std::errc{} && end == value.data() + value.size() && options.quantum >= least_quantum &&
      options.quantum <= greatest_quantum) {
    return {};
  }
  return "quantum takes a whole number of cycles from " + std::to_string(least_quantum) + " to " +
         std::to_string(greatest_quantum) + ", not " + quoted(value);
}

std::string set(Options& options, std::string_view key, std::string_view value) {
  if (key == "spec") return options.spec = value, std::string();
  if (key == "out") return options.out = value, std::string();
  if (key == "quantum") return set_quantum(options, value);
  if (key == "verbose" && (value == "on" || value == "off")) return options.verbose = value == "on", std::string();
  if (key == "verbose") return "verbose takes on or off, not " + quoted(value);
  return "unknown argument " + quoted(key) + "; allowed: spec=FILE, out=FILE, quantum=CYCLES, verbose=on|off";
}

}  // namespace

ParsedOptions parse_options(std::span<const char* const> arguments) {
  ParsedOptions parsed;
  std::vector<std::string_view> seen;
  for (const std::string_view argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string_view key = argument.substr(0, equals);
    const std::string_view value = equals == argument.npos ? std::string_view() : argument.substr(equals + 1);
    for (const std::string_view earlier : seen) {
      if (earlier == key) parsed.fault = "argument " + quoted(key) + " is given twice";
    }
    seen.push_back(key);
    if (parsed.fault.empty()) parsed.fault = set(parsed.options, key, value);
    if (!parsed.fault.empty()) return parsed;
  }
  if (parsed.options.spec.empty()) parsed.fault = "spec=FILE is missing: the machine to be modelled";
  else if (parsed.options.out.empty()) parsed.fault = "out=FILE is missing: where the report goes";
  return parsed;
}

}  // namespace rig::model
