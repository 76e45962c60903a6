// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/base.h"
#include "rig/debian/apt_root.h"
#include "rig/debian/apt_text.h"
#include "rig/debian/debian.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

fs::path root_of(const fs::path& directory, const std::string& suite, const std::string& component) {
  return directory / "suites" / suite / component;
}

// The index of sources is large and seldom wanted: it has a root of its own.
constexpr const char* source_root = "main-source";

fs::path memory_of(const fs::path& root, const std::string& package) { return root / "resolved" / package; }

// That a suite has no such package is remembered too, with the message, for as long as its index counts.
fs::path absence_of(const fs::path& root, const std::string& package) { return root / "missing" / package; }

void throw_if_known_missing(const fs::path& file) {
  std::error_code none;
  const auto written = fs::last_write_time(file, none);
  if (!none && fs::file_time_type::clock::now() - written < index_age) throw InputError(read_file(file));
}

std::optional<DebianPackage> read_memory(const fs::path& file, const std::string& name) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return {};
  auto package = parse_stanza(read_file(file));
  if (!package || package->name != name) return {};  // from another version of rig, or damaged
  return package;
}

std::string near_misses(const std::string& word, std::vector<std::string> names) {
  std::vector<std::string> near;
  while (near.size() < 3) {
    auto next = nearest(word, names);
    if (next.empty()) break;
    std::erase(names, next);
    near.push_back(std::move(next));
  }
  return near.empty() ? "" : "; did you mean " + one_of(near) + "?";
}

bool proved(const fs::path& file, const DebianPackage& package) {
  std::error_code none;
  return fs::is_regular_file(file, none) && fs::file_size(file, none) == package.size &&
         sha256_of_file(file) == package.sha256;
}

}  // namespace

struct DebianArchive::Asked {
  std::string name, component, root;
  bool source;
};

DebianArchive::DebianArchive(fs::path directory, std::string suite)
    : directory_(fs::absolute(std::move(directory))), suite_(std::move(suite)) {
  if (!is_suite_name(suite_)) {
    throw InputError(
        fmt::format("'{}' is no name of a Debian suite; lower-case letters, digits, '-' and '.' are "
                    "allowed, as in bookworm or bookworm-backports",
                    suite_));
  }
}

DebianPackage DebianArchive::resolve(const std::string& package, const std::string& component, bool refresh,
                                     std::stop_token stop) {
  if (!is_package_name(package)) {
    throw InputError(
        fmt::format("'{}' is no name of a Debian package; lower-case letters, digits, '+', '-' and '.' "
                    "are allowed, at least two of them",
                    package));
  }
  if (!is_component_name(component)) {
    throw InputError(
        fmt::format("'{}' is no component of a Debian archive; main, contrib, non-free or "
                    "non-free-firmware are",
                    component));
  }
  return look_up({package, component, component, false}, refresh, stop);
}

DebianPackage DebianArchive::resolve_source(const std::string& source, std::stop_token stop) {
  if (!is_package_name(source)) {
    throw InputError(fmt::format("'{}' is no name of a Debian source package", source));
  }
  return look_up({source, "main", source_root, true}, false, stop);
}

DebianPackage DebianArchive::look_up(const Asked& asked, bool refresh, std::stop_token stop) {
  const auto& package = asked.name;
  const auto root = root_of(directory_, suite_, asked.root);
  const auto memory = memory_of(root, package);
  const auto absence = absence_of(root, package);
  if (!refresh) {
    if (auto known = read_memory(memory, package)) return *known;
    throw_if_known_missing(absence);
  }
  make_directories(memory.parent_path());
  make_directories(absence.parent_path());
  const auto lock = FileLock::wait(root / "lock", stop);
  if (!refresh) {  // another process may have resolved it while this one waited
    if (auto known = read_memory(memory, package)) return *known;
  }
  AptRoot apt(root, suite_, asked.component, refresh, asked.source ? AptTypes::Source : AptTypes::Binary);
  apt.update(refresh, stop);
  auto found = asked.source ? apt.show_source(package, stop) : apt.show(package, stop);
  if (!found) {
    const auto message = fmt::format("Debian suite '{}' has no {} '{}' in component '{}'{}", suite_,
                                     asked.source ? "source package" : "package", package, asked.component,
                                     asked.source ? "" : near_misses(package, apt.names(stop)));
    fs::remove(memory);
    write_file(absence, message);
    throw InputError(message);
  }
  write_file(memory, stanza(*found));
  fs::remove(absence);
  return *found;
}

std::optional<DebianPackage> DebianArchive::remembered(const std::string& package, const std::string& component) const {
  if (!is_package_name(package) || !is_component_name(component)) return {};
  return read_memory(memory_of(root_of(directory_, suite_, component), package), package);
}

fs::path DebianArchive::fetch(const DebianPackage& package, std::stop_token stop) {
  const auto directory = directory_ / "debs" / package.sha256;
  const auto file = directory / fs::path(package.filename).filename();
  if (proved(file, package)) return file;
  make_directories(directory);
  const auto lock = FileLock::wait(directory / "lock", stop);
  if (proved(file, package)) return file;

  const bool source = package.architecture == "source";
  const auto root = root_of(directory_, package.suite, source ? source_root : package.component);
  const TempDir work(directory, "download");
  const auto partial = work.path() / "deb";
  make_directories(root);
  const auto apt = [&] {
    const auto root_lock = FileLock::wait(root / "lock", stop);
    return AptRoot(root, package.suite, package.component, false, source ? AptTypes::Source : AptTypes::Binary);
  }();
  const auto origin = apt.origin();
  const auto result = apt.download(package, partial, stop);
  const auto what = fmt::format("{} {} ({})", package.name, package.version, package.filename);
  if (!result.ok()) {
    if (result.err.find("404") != std::string::npos || result.out.find("404") != std::string::npos) {
      fs::remove(memory_of(root, package.name));
      throw WorkError(
          fmt::format("the Debian mirror {} no longer serves {}; its successor is looked up at the next "
                      "try, so try again",
                      origin.uri, what));
    }
    throw HostLacks(fmt::format("{} could not be downloaded from {}\n{}", what, origin.uri, result.err),
                    "check the network and the free space of the cache directory");
  }
  if (!proved(partial, package)) {
    throw WorkError(
        fmt::format("what the Debian mirror {} sent for {} has not the size and SHA-256 that the signed "
                    "index states ({} bytes, {}); try again, or use another mirror",
                    origin.uri, what, package.size, package.sha256));
  }
  fs::permissions(partial,
                  fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read);
  fs::rename(partial, file);
  return file;
}

}  // namespace rig
