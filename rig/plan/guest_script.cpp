// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/guest_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/base/error.h"

namespace rig {
namespace {

// The value, which must fit on a line.
const std::string& line(const std::string& what, const std::string& value) {
  for (const char c : value) {
    if (c == '\n' || c == '\r' || c == '\0') {
      throw InputError(
          fmt::format("{} holds {}, which a guest's script cannot carry", what, c == '\0' ? "a NUL" : "a line break"));
    }
  }
  return value;
}

// The value, which must be one word.
const std::string& word(const std::string& what, const std::string& value) {
  line(what, value);
  if (value.empty() || value.find_first_of(" \t") != std::string::npos) {
    throw InputError(fmt::format("{} '{}' must be one word", what, value));
  }
  return value;
}

std::string step_text(const ScriptStep& step) {
  if (step.argv.empty()) throw InputError(fmt::format("step '{}' runs nothing", step.name));
  std::string text = fmt::format("step {}\n", word("a step's name", step.name));
  text += fmt::format("  limit {}\n", step.limit_ms);
  if (step.background) text += "  background\n";
  if (step.copies != 1) text += fmt::format("  copies {}\n", step.copies);
  if (step.cpu >= 0) text += fmt::format("  cpu {}\n", step.cpu);
  if (step.wait_tcp_port != 0) text += fmt::format("  wait-tcp {} {}\n", step.wait_tcp_port, step.wait_tcp_ms);
  if (step.model_begin_ms >= 0) text += fmt::format("  model {} {}\n", step.model_begin_ms, step.model_count_ms);
  for (const auto& argument : step.argv) {
    text += fmt::format("  arg {}\n", line(fmt::format("an argument of step '{}'", step.name), argument));
  }
  return text + "end\n";
}

std::string interface_text(const ScriptInterface& interface) {
  std::string text = fmt::format("interface {}\n", word("a MAC", interface.mac));
  if (!interface.address.empty()) text += fmt::format("  address {}\n", word("an address", interface.address));
  if (!interface.neighbour.empty()) {
    text += fmt::format("  neighbour {} {}\n", word("an address", interface.neighbour),
                        word("a MAC", interface.neighbour_mac));
  }
  if (interface.interrupt_cpu >= 0) text += fmt::format("  interrupt {}\n", interface.interrupt_cpu);
  return text + "end\n";
}

}  // namespace

std::string script_text(const GuestScript& script) {
  std::string text = "rig-script 1\n";
  text += fmt::format("results {}\n", line("the results channel", script.results));
  text += fmt::format("heartbeat {}\n", script.heartbeat_ms);
  const Perturbation& perturbed = script.perturbation;
  if (perturbed != Perturbation{}) text += fmt::format("perturb {} {}\n", perturbed.pages, perturbed.microseconds);
  for (const auto& [key, value] : script.sysctls) {
    text += fmt::format("sysctl {} {}\n", word("a sysctl's name", key), line("sysctl " + key, value));
  }
  if (!script.hostname.empty()) text += fmt::format("hostname {}\n", word("a host name", script.hostname));
  for (const auto& [address, name] : script.hosts)
    text += fmt::format("host {} {}\n", word("an address", address), word("a host's name", name));
  for (const auto& interface : script.interfaces) text += interface_text(interface);
  for (const auto& step : script.steps) text += step_text(step);
  return text;
}

}  // namespace rig
