// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/qemu_abilities.h"

#include <algorithm>

#include "rig/base/error.h"
#include "rig/base/process.h"
#include "rig/vm/vm.h"

namespace rig {
namespace {

constexpr const char* program = "qemu-system-x86_64";
constexpr const char* mend = "apt install qemu-system-x86";

ProcessResult ask(const std::string& binary, std::vector<std::string> words) {
  words.insert(words.begin(), binary);
  return run({.argv = std::move(words), .limit = std::chrono::seconds(20)});
}

}  // namespace

std::string qemu_version(std::string_view text) {
  constexpr std::string_view before = "QEMU emulator version ";
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

bool has_machine_property(std::string_view help, std::string_view property) {
  const std::string wanted = "  " + std::string(property) + "=";
  for (std::size_t at = 0; (at = help.find(wanted, at)) != std::string_view::npos; ++at)
    if (at == 0 || help[at - 1] == '\n') return true;
  return false;
}

bool has_option(std::string_view help, std::string_view option) {
  const std::string wanted = "-" + std::string(option) + " ";
  return help.starts_with(wanted) || help.find("\n" + wanted) != std::string_view::npos;
}

std::vector<std::string> cpu_models(std::string_view help) {
  // "Available CPUs:", a line "  Penryn   Intel Core 2 Duo P9xxx (…)" each, an empty line, then other lists
  std::vector<std::string> models;
  while (!help.empty()) {
    const std::size_t end = std::min(help.find('\n'), help.size());
    std::string_view line = help.substr(0, end);
    help.remove_prefix(std::min(end + 1, help.size()));
    if (line.empty() && !models.empty()) break;
    if (!line.starts_with("  ")) continue;
    line.remove_prefix(2);
    models.emplace_back(line.substr(0, line.find(' ')));
  }
  std::sort(models.begin(), models.end());
  return models;
}

QemuAbilities probe_qemu() {
  const auto binary = find_program(program);
  if (!binary) throw HostLacks(std::string(program) + " is not in PATH", mend);
  QemuAbilities found{.binary = binary->string()};
  const ProcessResult version = ask(found.binary, {"--version"});
  found.version = version.ok() ? qemu_version(version.out) : std::string();
  if (found.version.empty())
    throw HostLacks(found.binary + " does not tell its version: " + (version.err.empty() ? version.out : version.err),
                    std::string("apt install --reinstall ") + "qemu-system-x86");
  const ProcessResult machine = ask(found.binary, {"-machine", "q35,help"});
  if (!machine.ok()) throw HostLacks(found.binary + " " + found.version + " has no q35 machine: " + machine.err, mend);
  found.smp_cache = has_machine_property(machine.out, "smp-cache");
  found.plugins = has_option(ask(found.binary, {"-help"}).out, "plugin");
  found.cpu_models = cpu_models(ask(found.binary, {"-cpu", "help"}).out);
  return found;
}

}  // namespace rig
