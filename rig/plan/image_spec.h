// SPDX-License-Identifier: GPL-2.0-or-later
// A guest image: what is taken from which Debian packages.
#pragma once
#include <string>
#include <vector>

namespace rig {

struct ImagePackage {
  std::string package;             // "dbench"
  std::string component = "main";  // "non-free" for netperf
  bool optional = false;           // left out, and noted, where it cannot be had
  std::vector<std::string> take;   // absolute paths inside it; programs and data
  bool operator==(const ImagePackage&) const = default;
};
struct ImageSpec {
  std::string name;
  std::string suite;  // "bookworm"
  std::vector<ImagePackage> packages;
  bool operator==(const ImageSpec&) const = default;
};

}  // namespace rig
