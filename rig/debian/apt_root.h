// SPDX-License-Identifier: GPL-2.0-or-later
// A private apt root for one suite and component: its own sources, lists, cache and status file.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/base/process.h"
#include "rig/debian/debian.h"

namespace rig {

// How long an index counts as the present one.
inline constexpr auto index_age = std::chrono::hours(24);

enum class AptTypes { Binary, Source };  // what its index lists

// Not locked: the caller holds the root's lock.
class AptRoot {
 public:
  // Makes the root, or brings its files up to date with the machine's configuration. That takes apt
  // some seconds, and is left out where it was done within index_age, the machine's files are older,
  // and anew is not asked for.
  AptRoot(std::filesystem::path root, std::string suite, std::string component, bool anew,
          AptTypes types = AptTypes::Binary);

  // Brings the index in where it is absent, was refused, or is older than this. A mirror that cannot
  // be reached is an error only where there is no index yet, or where must is true.
  void update(bool must, std::stop_token stop);

  // The package's newest version in the index, or nothing.
  std::optional<DebianPackage> show(const std::string& package, std::stop_token stop) const;
  std::optional<DebianPackage> show_source(const std::string& source, std::stop_token stop) const;
  std::vector<std::string> names(std::stop_token stop) const;

  // Downloads a file of the mirror; apt proves its hash.
  ProcessResult download(const DebianPackage& package, const std::filesystem::path& to, std::stop_token stop) const;

  const AptOrigin& origin() const { return origin_; }

 private:
  bool adopt();
  void derive();
  Command apt(std::vector<std::string> argv) const;
  std::filesystem::path stamp() const { return root_ / "updated"; }
  std::filesystem::path source_file() const { return root_ / "etc/sources.list.d/suite.sources"; }

  std::filesystem::path root_;
  std::string suite_, component_;
  AptTypes types_;
  AptOrigin origin_;
};

}  // namespace rig
