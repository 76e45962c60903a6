// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/debian/apt_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace rig {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool made_of(std::string_view word, std::string_view more) {
  return !word.empty() && word.size() <= 128 && is_lower_or_digit(word[0]) &&
         std::all_of(word.begin(), word.end(),
                     [&](char c) { return is_lower_or_digit(c) || more.find(c) != std::string_view::npos; });
}

// A value that may stand as one line and one path component: versions and architectures.
bool is_plain(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < 0x7f && c != '/' && c != '"'; });
}

std::optional<std::uint64_t> to_size(std::string_view digits) {
  if (digits.empty() || digits.size() > 15) return {};
  std::uint64_t value = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool is_sha256(std::string_view word) {
  return word.size() == 64 &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_pool_path(std::string_view path) {
  if (path.empty() || path[0] == '/') return false;
  for (auto part : split(path, '/')) {
    if (part == ".." || part == "." || !is_plain(part)) return false;
  }
  return true;
}

// The first stanza's fields; continuation lines are left out.
std::map<std::string, std::string, std::less<>> fields_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> fields;
  for (auto line : split(text, '\n')) {
    if (trim(line).empty()) {
      if (fields.empty()) continue;
      break;
    }
    const auto colon = line.find(':');
    if (line[0] == ' ' || line[0] == '\t' || colon == std::string_view::npos) continue;
    fields.emplace(line.substr(0, colon), trim(line.substr(colon + 1)));
  }
  return fields;
}

}  // namespace

std::vector<IndexTarget> parse_index_targets(std::string_view text) {
  std::vector<IndexTarget> targets;
  for (auto line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != 5) continue;
    const auto field = [&](std::size_t i) {
      const auto value = trim(fields[i]);
      return value.substr(0, 2) == "$(" ? std::string{} : std::string{value};
    };
    targets.push_back({field(0), field(1), field(2), field(3), field(4)});
  }
  return targets;
}

std::string transport_settings(std::string_view dump) {
  constexpr std::array<std::string_view, 9> kept{
      "acquire::http::",     "acquire::https::",    "acquire::ftp::",      "acquire::socks::",
      "acquire::retries ",   "acquire::forceipv4 ", "acquire::forceipv6 ", "acquire::check-valid-until ",
      "acquire::check-date "};
  std::string out;
  for (auto line : split(dump, '\n')) {
    std::string low{line};
    std::transform(low.begin(), low.end(), low.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::any_of(kept.begin(), kept.end(), [&](auto prefix) { return low.starts_with(prefix); })) {
      out.append(line).append("\n");
    }
  }
  return out;
}

std::string private_apt_conf(const std::filesystem::path& root, std::string_view transport) {
  return fmt::format(R"(// Written by rig. The apt root of one suite: nothing is installed from it.
Dir::State "{0}/state";
Dir::State::status "{0}/state/status";
Dir::Cache "{0}/cache";
Dir::Cache::srcpkgcache "";
Dir::Etc "{0}/etc";
Dir::Etc::netrc "/etc/apt/auth.conf";
Dir::Etc::netrcparts "/etc/apt/auth.conf.d";
Dir::Log "{0}/log";
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
// Root's apt would drop to the user _apt, who need not reach this directory.
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
// As on this machine:
{1})",
                     root.string(), transport);
}

std::string source_text(const AptOrigin& origin, const std::string& suite, const std::string& component,
                        const std::string& types) {
  return fmt::format("Types: {}\nURIs: {}\nSuites: {}\nComponents: {}\nSigned-By: {}\n", types, origin.uri, suite,
                     component, origin.keyring);
}

std::vector<std::string> first_alternatives(std::string_view relation) {
  std::vector<std::string> names;
  for (auto clause : split(relation, ',')) {
    auto name = trim(clause);
    name = trim(name.substr(0, name.find_first_of("|( :\t")));
    if (!is_package_name(name)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  return names;
}

std::optional<AptOrigin> parse_source(std::string_view text) {
  auto fields = fields_of(text);
  AptOrigin origin{fields["URIs"], fields["Signed-By"], fields["Suites"]};
  if (origin.uri.empty() || origin.keyring.empty() || origin.codename.empty()) return {};
  return origin;
}

std::optional<DebianPackage> parse_stanza(std::string_view text) {
  auto fields = fields_of(text);
  DebianPackage package;
  package.name = fields["Package"];
  package.version = fields["Version"];
  package.architecture = fields["Architecture"];
  package.suite = fields["Rig-Suite"];
  package.component = fields["Rig-Component"];
  package.sha256 = fields["SHA256"];
  package.filename = fields["Filename"];
  const auto size = to_size(fields["Size"]);
  package.depends = first_alternatives(fields["Pre-Depends"] + "," + fields["Depends"]);
  if (!is_package_name(package.name) || !is_plain(package.version) || !is_plain(package.architecture) ||
      !is_sha256(package.sha256) || !is_pool_path(package.filename) || !size) {
    return {};
  }
  package.size = *size;
  return package;
}

std::optional<DebianPackage> parse_source_stanza(std::string_view text) {
  // leading blank lines, then the first stanza alone
  while (text.starts_with('\n')) text.remove_prefix(1);
  text = text.substr(0, text.find("\n\n"));
  auto fields = fields_of(text);
  DebianPackage package;
  package.name = fields["Package"];
  package.version = fields["Version"];
  package.architecture = "source";
  const auto directory = fields["Directory"];
  bool sums = false, upstream = false;
  for (auto line : split(text, '\n')) {
    if (!line.starts_with(' ')) {
      sums = line.starts_with("Checksums-Sha256:");
      continue;
    }
    if (!sums) continue;
    const auto words = split(trim(line), ' ');
    if (words.size() != 3 || words[2].ends_with(".asc") || words[2].find(".debian.tar.") != std::string_view::npos)
      continue;
    const bool orig = words[2].find(".orig.tar.") != std::string_view::npos;
    const auto size = to_size(words[1]);
    if (upstream || (!orig && words[2].find(".tar.") == std::string_view::npos) || !size) continue;
    package.sha256 = words[0];
    package.size = *size;
    package.filename = directory + "/" + std::string(words[2]);
    upstream = orig;
  }
  if (!is_package_name(package.name) || !is_plain(package.version) || !is_sha256(package.sha256) ||
      !is_pool_path(package.filename)) {
    return {};
  }
  return package;
}

std::string stanza(const DebianPackage& package) {
  return fmt::format(
      "Package: {}\nVersion: {}\nArchitecture: {}\nRig-Suite: {}\nRig-Component: {}\nFilename: {}\n"
      "Size: {}\nSHA256: {}\nDepends: {}\n",
      package.name, package.version, package.architecture, package.suite, package.component, package.filename,
      package.size, package.sha256, fmt::join(package.depends, ", "));
}

bool is_package_name(std::string_view word) { return word.size() >= 2 && made_of(word, "+-."); }
bool is_suite_name(std::string_view word) { return made_of(word, "-."); }
bool is_component_name(std::string_view word) { return made_of(word, "-"); }

}  // namespace rig
