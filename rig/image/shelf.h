// SPDX-License-Identifier: GPL-2.0-or-later
// The packages an image is made from: found, and unpacked when first looked into.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/base/file.h"
#include "rig/debian/debian.h"
#include "rig/plan/image_spec.h"

namespace rig {

// One package that the image definition names, or why it could not be had.
struct FoundPackage {
  ImagePackage wanted;
  std::optional<DebianPackage> package;
  std::string absence;
};

// What a definition comes to: its packages and all that they depend on, the latter in the order in
// which libraries are looked for.
struct FoundPackages {
  std::vector<FoundPackage> named;
  std::vector<DebianPackage> dependencies;
  std::vector<DebianPackage> sources;  // of the programs that are compiled
  std::string compiler;                // their compiler and its C library; empty where nothing is compiled
};

// Throws as DebianArchive::resolve for a package that is not optional.
FoundPackages find_packages(DebianArchive& archive, const ImageSpec& spec, const std::filesystem::path& absences,
                            std::stop_token stop);

// Notes that an optional package could not be had, so that for some minutes it is not asked for again.
void remember_absence(const std::filesystem::path& absences, const ImageSpec& spec, const ImagePackage& wanted,
                      const std::string& why);

// A package's files, below a directory of their own.
class UnpackedPackage {
 public:
  UnpackedPackage(std::filesystem::path root, std::string name) : root_(std::move(root)), name_(std::move(name)) {}

  // The regular files at this absolute path or below it, sorted; links are given as such.
  std::vector<std::string> files(const std::string& path) const;
  bool is_link(const std::string& path) const;
  std::string link_target(const std::string& path) const;  // absolute, in the package
  std::string content(const std::string& path) const;      // links followed, inside the package
  bool is_executable(const std::string& path) const;
  // The path of a shared library in one of the directories that the loader searches, or nothing.
  std::optional<std::string> library(const std::string& name) const;
  // The nearest file to a path that is not there; empty where none is near.
  std::string nearest_file(const std::string& path) const;
  const std::string& name() const { return name_; }

 private:
  std::filesystem::path at(const std::string& path) const { return root_ / path.substr(1); }

  std::filesystem::path root_;
  std::string name_;
};

class Shelf {
 public:
  Shelf(DebianArchive& archive, const std::filesystem::path& work, std::stop_token stop)
      : archive_(archive), work_(work), stop_(std::move(stop)) {}
  const UnpackedPackage& open(const DebianPackage& package);

 private:
  DebianArchive& archive_;
  std::filesystem::path work_;
  std::stop_token stop_;
  std::map<std::string, UnpackedPackage> open_;
};

}  // namespace rig
