// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <deque>
#include <set>

#include "rig/base/base.h"
#include "rig/image/compile.h"
#include "rig/image/shelf.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

constexpr auto absence_counts = std::chrono::minutes(10);

fs::path absence_file(const fs::path& absences, const std::string& suite, const ImagePackage& wanted) {
  return absences / sha256(suite + "/" + wanted.component + "/" + wanted.package);
}

std::optional<std::string> known_absence(const fs::path& file) {
  std::error_code none;
  const auto written = fs::last_write_time(file, none);
  if (none || fs::file_time_type::clock::now() - written > absence_counts) return {};
  return read_file(file);
}

FoundPackage find(DebianArchive& archive, const ImageSpec& spec, const ImagePackage& wanted, const fs::path& absences,
                  std::stop_token stop) {
  if (!wanted.optional) return {wanted, archive.resolve(wanted.package, wanted.component, false, stop), {}};
  if (wanted.component != "main" && !machine_offers(wanted.component)) {
    return {wanted, {}, wanted.component + " is not among this machine's apt sources, and is not taken unasked"};
  }
  if (auto why = known_absence(absence_file(absences, spec.suite, wanted))) return {wanted, {}, *why};
  try {
    return {wanted, archive.resolve(wanted.package, wanted.component, false, stop), {}};
  } catch (const InputError& failed) {
    return {wanted, {}, failed.what()};
  } catch (const HostLacks& failed) {
    remember_absence(absences, spec, wanted, failed.what());
    return {wanted, {}, failed.what()};
  }
}

// A dependency may be of another component, or only a name that others provide: then it is left
// out, and a library that would have been in it is missed later, by name.
std::optional<DebianPackage> find_dependency(DebianArchive& archive, const std::string& name,
                                             const std::string& component, std::stop_token stop) {
  try {
    return archive.resolve(name, "main", false, stop);
  } catch (const InputError&) {
    if (component == "main") return {};
  }
  try {
    return archive.resolve(name, component, false, stop);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

void remember_absence(const fs::path& absences, const ImageSpec& spec, const ImagePackage& wanted,
                      const std::string& why) {
  make_directories(absences);
  write_file(absence_file(absences, spec.suite, wanted), why);
}

FoundPackages find_packages(DebianArchive& archive, const ImageSpec& spec, const fs::path& absences,
                            std::stop_token stop) {
  FoundPackages found;
  std::deque<std::pair<std::string, std::string>> next;  // name, component of who asks
  std::set<std::string> seen;
  const auto ask = [&](const DebianPackage& package) {
    for (const auto& name : package.depends) {
      if (seen.insert(name).second) next.emplace_back(name, package.component);
    }
  };
  for (const auto& wanted : spec.packages) {
    found.named.push_back(find(archive, spec, wanted, absences, stop));
    if (found.named.back().package) ask(*found.named.back().package);
  }
  for (; !next.empty(); next.pop_front()) {
    const auto& [name, component] = next.front();
    if (auto package = find_dependency(archive, name, component, stop)) {
      ask(*package);
      found.dependencies.push_back(std::move(*package));
    }
  }
  for (const auto& source : sources_of(spec)) found.sources.push_back(archive.resolve_source(source, stop));
  if (!spec.compile.empty()) found.compiler = musl_identity(stop);
  return found;
}

}  // namespace rig
