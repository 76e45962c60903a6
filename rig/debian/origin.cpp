// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/debian/origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "rig/base/base.h"

namespace rig {
namespace {

constexpr const char* default_keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

// A Signed-By may also hold a fingerprint or the key itself; only a file can be passed on.
std::string keyring_file(const IndexTarget& target) {
  const auto& named = target.keyring;
  return !named.empty() && named[0] == '/' && named.find('\n') == std::string::npos ? named : default_keyring;
}

std::vector<IndexTarget> machine_targets() {
  Command command;
  command.argv = {"apt-get", "indextargets", "--format", std::string(index_target_format), "Created-By: Packages"};
  command.env = {{"LC_ALL", "C"}};
  auto targets = parse_index_targets(run(command).out);
  if (targets.empty()) {  // no `apt-get update` yet, or its lists were cleaned away
    command.argv.insert(command.argv.begin() + 2, "--no-release-info");
    targets = parse_index_targets(run(command).out);
  }
  return targets;
}

std::string own_codename() {
  std::istringstream lines(read_file("/etc/os-release"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("VERSION_CODENAME=")) {
      auto value = line.substr(line.find('=') + 1);
      std::erase(value, '"');
      return value;
    }
  }
  return {};
}

bool serves(const IndexTarget& target, const std::string& suite) {
  return target.codename == suite || target.release == suite;
}

AptOrigin checked(AptOrigin origin) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(origin.keyring, none)) {
    throw HostLacks("the keyring of the Debian archive is absent: " + origin.keyring,
                    "apt-get install debian-archive-keyring");
  }
  return origin;
}

}  // namespace

AptOrigin choose_origin(const std::vector<IndexTarget>& targets, const std::string& codename) {
  for (const auto& target : targets) {
    if (!codename.empty() && target.component == "main" && serves(target, codename) && !target.uri.empty()) {
      return {target.uri, keyring_file(target), codename};
    }
  }
  throw HostLacks(fmt::format("apt on this machine has no source for main of its own suite{}, so the Debian mirror "
                              "to use is not known",
                              codename.empty() ? "" : " '" + codename + "'"),
                  "rig needs a Debian machine whose /etc/apt names a mirror; check `apt-get indextargets`");
}

AptOrigin machine_origin() { return checked(choose_origin(machine_targets(), own_codename())); }

bool machine_offers(const std::string& component) {
  const auto targets = machine_targets();
  return std::any_of(targets.begin(), targets.end(),
                     [&](const IndexTarget& target) { return target.component == component; });
}

AptOrigin origin_of_suite(const std::string& suite, const std::string& component) {
  const auto targets = machine_targets();
  for (const auto& target : targets) {
    if (serves(target, suite) && target.component == component && !target.uri.empty()) {
      return checked({target.uri, keyring_file(target), suite});
    }
  }
  return checked(choose_origin(targets, own_codename()));
}

std::string machine_apt_config() {
  Command command;
  command.argv = {"apt-config", "dump"};
  command.env = {{"LC_ALL", "C"}};
  return run_checked(command).out;
}

}  // namespace rig
