// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/image/collect.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "rig/base/base.h"
#include "rig/image/elf.h"

namespace rig {
namespace {

constexpr const char* library_home = "/lib/x86_64-linux-gnu/";

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "libpopt.so.0" is most likely in a package whose name begins with "libpopt".
std::vector<const DebianPackage*> likely_first(const std::vector<DebianPackage>& packages, const std::string& library) {
  const auto stem = library.substr(0, library.find_first_of(".-"));
  std::vector<const DebianPackage*> order;
  for (const auto& package : packages) order.push_back(&package);
  const auto rank = [&](const DebianPackage* package) {
    if (package->name.starts_with(stem)) return 0;
    if (package->name == "libc6") return 1;
    return package->name.starts_with("lib") ? 2 : 3;
  };
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); });
  return order;
}

class Collector {
 public:
  Collector(Shelf& shelf, const FoundPackages& found) : shelf_(shelf), found_(found) {}

  Collected run() {
    for (const auto& named : found_.named) {
      if (!named.package) continue;
      for (const auto& path : named.wanted.take) take(*named.package, path);
    }
    while (!needs_.empty()) {
      auto [needs, who] = std::move(needs_.front());
      needs_.pop_front();
      if (!needs.interpreter.empty()) loader(needs.interpreter, who);
      for (const auto& library : needs.libraries) library_file(library, who);
    }
    // The C library of suites before bookworm opens this one when it looks up 127.0.0.1.
    if (libraries_.contains("libc.so.6")) optional_library("libnss_files.so.2");
    return {std::move(entries_), std::move(used_)};
  }

 private:
  void take(const DebianPackage& package, const std::string& path) {
    const auto& files = shelf_.open(package);
    if (path.size() < 2 || path[0] != '/') {
      throw InputError(fmt::format("image: '{}' of package {} is no absolute path", path, package.name));
    }
    const auto members = files.files(path);
    if (members.empty()) {
      const auto near = files.nearest_file(path);
      throw InputError(fmt::format("image: package {} {} has no '{}'{}", package.name, package.version, path,
                                   near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    for (const auto& member : members) {
      if (files.is_link(member)) {
        const auto target = files.link_target(member);
        add(package, {.path = member.substr(1), .mode = S_IFLNK | 0777, .data = target});
        if (!taken_.contains(target)) take(package, target);
      } else {
        file(package, member, member);
      }
    }
  }

  void file(const DebianPackage& package, const std::string& from, const std::string& to) {
    const auto& files = shelf_.open(package);
    auto bytes = files.content(from);
    if (is_elf(bytes)) needs_.emplace_back(elf_needs(bytes, "package " + package.name + ": " + from), from);
    // The umask of whoever unpacked it must not show in the image.
    const unsigned permissions = files.is_executable(from) ? 0755 : 0644;
    add(package, {.path = to.substr(1), .mode = S_IFREG | permissions, .data = std::move(bytes)});
  }

  void add(const DebianPackage& package, CpioEntry entry) {
    const auto path = "/" + entry.path;
    const auto [there, fresh] = taken_.emplace(path, package.name);
    if (!fresh) {
      if (there->second == package.name) return;  // named twice, or a link's target too
      throw InputError(fmt::format("image: '{}' is in package {} and in package {}; take it from one of them", path,
                                   there->second, package.name));
    }
    entries_.push_back(std::move(entry));
    note(package);
  }

  void note(const DebianPackage& package) {
    if (!noted_.insert(package.sha256).second) return;
    used_.push_back(package);
    const auto notice = "/usr/share/doc/" + package.name + "/copyright";
    const auto& files = shelf_.open(package);
    if (!files.files(notice).empty() && !files.is_link(notice)) file(package, notice, notice);
  }

  const DebianPackage* holder(const std::string& library) {
    for (const auto& named : found_.named) {
      if (named.package && shelf_.open(*named.package).library(library)) return &*named.package;
    }
    for (const auto* package : likely_first(found_.dependencies, library)) {
      if (shelf_.open(*package).library(library)) return package;
    }
    return nullptr;
  }

  void loader(const std::string& path, const std::string& who) {
    if (path[0] != '/' || !loaders_.insert(path).second) return;
    libraries_.insert(base_name(path));  // the C library needs it by name, and it is loaded by then
    const auto* package = holder(base_name(path));
    if (!package) missing(path, who);
    file(*package, *shelf_.open(*package).library(base_name(path)), path);
  }

  void library_file(const std::string& library, const std::string& who) {
    if (!libraries_.insert(library).second) return;
    const auto* package = holder(library);
    if (!package) missing(library, who);
    file(*package, *shelf_.open(*package).library(library), library_home + library);
  }

  void optional_library(const std::string& library) {
    for (const auto& package : found_.dependencies) {
      if (package.name != "libc6" || libraries_.contains(library)) continue;
      if (const auto from = shelf_.open(package).library(library)) file(package, *from, library_home + library);
    }
  }

  [[noreturn]] void missing(const std::string& library, const std::string& who) const {
    throw InputError(
        fmt::format("image: {} needs {}, which is in none of the packages and their dependencies; name "
                    "the package that has it in the image definition",
                    who, library));
  }

  Shelf& shelf_;
  const FoundPackages& found_;
  std::vector<CpioEntry> entries_;
  std::vector<DebianPackage> used_;
  std::map<std::string, std::string> taken_;  // path, package
  std::set<std::string> noted_, libraries_, loaders_;
  std::deque<std::pair<ElfNeeds, std::string>> needs_;
};

}  // namespace

Collected collect(Shelf& shelf, const FoundPackages& found) { return Collector(shelf, found).run(); }

}  // namespace rig
