// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/debian/apt_root.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "rig/base/base.h"
#include "rig/debian/apt_text.h"
#include "rig/debian/origin.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

bool write_if_changed(const fs::path& file, const std::string& text) {
  std::error_code none;
  if (fs::is_regular_file(file, none) && read_file(file) == text) return false;
  write_file(file, text);
  return true;
}

// apt's own complaints, one a line, without its counters.
std::string complaints(const ProcessResult& result) {
  std::istringstream lines(result.err + "\n" + result.out);
  std::string line, kept;
  while (std::getline(lines, line)) {
    if (line.starts_with("E: ") || line.starts_with("W: ") || line.starts_with("Err:")) {
      kept += "\n  apt: " + line;
    }
  }
  return kept;
}

bool holds(const ProcessResult& result, std::string_view text) {
  return result.out.find(text) != std::string::npos || result.err.find(text) != std::string::npos;
}

[[noreturn]] void refuse_update(const ProcessResult& result, const AptOrigin& origin, const std::string& suite,
                                const std::string& component) {
  const auto said = complaints(result);
  // apt has one exit code for everything; LC_ALL=C keeps these words as they are.
  if (holds(result, "NO_PUBKEY") || holds(result, "EXPKEYSIG") || holds(result, "is not signed")) {
    throw HostLacks(fmt::format("the signature of Debian suite '{}' at {} is not by a key in {}{}", suite, origin.uri,
                                origin.keyring, said),
                    "install a newer debian-archive-keyring (apt-get install debian-archive-keyring)");
  }
  if (holds(result, "404  Not Found") || holds(result, "doesn't have the component") ||
      holds(result, "File not found")) {
    const auto near = nearest(suite, {"bullseye", "bookworm", "trixie", "forky", "sid", "bookworm-backports",
                                      "trixie-backports", "bullseye-backports"});
    throw InputError(fmt::format("the Debian mirror {} serves no suite '{}' with component '{}'{}{}", origin.uri, suite,
                                 component, near.empty() || near == suite ? "" : "; did you mean '" + near + "'?",
                                 said));
  }
  throw HostLacks(fmt::format("the Debian mirror {} cannot be reached for suite '{}'{}", origin.uri, suite, said),
                  "check the network, or the proxy in the machine's apt configuration; `apt-get update` must work");
}

}  // namespace

AptRoot::AptRoot(fs::path root, std::string suite, std::string component, bool anew, AptTypes types)
    : root_(fs::absolute(std::move(root))), suite_(std::move(suite)), component_(std::move(component)), types_(types) {
  if (root_.string().find_first_of("\"\n") != std::string::npos) {
    throw InputError(
        fmt::format("{}: apt's configuration cannot name a directory with a quote or a line break; "
                    "choose another cache directory",
                    root_.string()));
  }
  if (anew || !adopt()) derive();
}

// Takes the files as they stand, where they are recent.
bool AptRoot::adopt() {
  std::error_code none;
  const auto made = fs::last_write_time(stamp(), none);
  if (none || fs::file_time_type::clock::now() - made > index_age) return false;
  for (const char* machine : {"/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf",
                              "/etc/apt/apt.conf.d", "/etc/apt/auth.conf.d"}) {
    const auto changed = fs::last_write_time(machine, none);
    if (!none && changed > made) return false;
    if (!fs::is_directory(machine, none)) continue;
    for (const auto& file : fs::directory_iterator(machine, none)) {
      const auto edited = fs::last_write_time(file.path(), none);
      if (!none && edited > made) return false;
    }
  }
  if (!fs::is_regular_file(root_ / "apt.conf", none) || !fs::is_regular_file(source_file(), none)) return false;
  const auto origin = parse_source(read_file(source_file()));
  if (!origin || !fs::is_regular_file(origin->keyring, none)) return false;
  origin_ = *origin;
  return true;
}

void AptRoot::derive() {
  origin_ = origin_of_suite(suite_, component_);
  for (const char* part : {"etc/apt.conf.d", "etc/sources.list.d", "etc/preferences.d", "etc/trusted.gpg.d",
                           "state/lists/partial", "cache/archives/partial", "log"}) {
    make_directories(root_ / part);
  }
  write_if_changed(root_ / "state/status", "");
  write_if_changed(root_ / "apt.conf", private_apt_conf(root_, transport_settings(machine_apt_config())));
  // An index from another mirror does not count.
  const char* types = types_ == AptTypes::Source ? "deb-src" : "deb";
  if (write_if_changed(source_file(), source_text(origin_, suite_, component_, types))) fs::remove(stamp());
}

Command AptRoot::apt(std::vector<std::string> argv) const {
  Command command;
  command.argv = std::move(argv);
  command.env = {{"APT_CONFIG", (root_ / "apt.conf").string()}, {"LC_ALL", "C"}, {"DEBIAN_FRONTEND", "noninteractive"}};
  command.limit = std::chrono::minutes(30);
  return command;
}

void AptRoot::update(bool must, std::stop_token stop) {
  std::error_code none;
  const auto written = fs::last_write_time(stamp(), none);
  const bool have = !none;
  if (have && !must && fs::file_time_type::clock::now() - written < index_age) return;
  const auto result = run(apt({"apt-get", "-q", "update"}), stop);
  if (result.ok()) return write_file(stamp(), "");
  if (must || !have) refuse_update(result, origin_, suite_, component_);
}

std::optional<DebianPackage> AptRoot::show(const std::string& package, std::stop_token stop) const {
  const auto result = run(apt({"apt-cache", "--no-all-versions", "show", "--", package}), stop);
  if (!result.ok()) return {};
  auto found = parse_stanza(result.out);
  if (!found || found->name != package) return {};
  found->suite = suite_;
  found->component = component_;
  return found;
}

std::optional<DebianPackage> AptRoot::show_source(const std::string& source, std::stop_token stop) const {
  const auto result = run(apt({"apt-cache", "--only-source", "showsrc", "--", source}), stop);
  if (!result.ok()) return {};
  auto found = parse_source_stanza(result.out);
  if (!found || found->name != source) return {};
  found->suite = suite_;
  found->component = component_;
  return found;
}

std::vector<std::string> AptRoot::names(std::stop_token stop) const {
  std::istringstream lines(run_checked(apt({"apt-cache", "pkgnames"}), stop).out);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  std::sort(names.begin(), names.end());
  return names;
}

ProcessResult AptRoot::download(const DebianPackage& package, const fs::path& to, std::stop_token stop) const {
  const std::string slash = origin_.uri.ends_with('/') ? "" : "/";
  return run(apt({"/usr/lib/apt/apt-helper", "download-file", origin_.uri + slash + package.filename, to.string(),
                  "SHA256:" + package.sha256}),
             stop);
}

}  // namespace rig
