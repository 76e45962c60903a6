// SPDX-License-Identifier: GPL-2.0-or-later
// A guest image: what is taken from which Debian packages, and compiled from which sources.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rig/plan/kernel_version.h"

namespace rig {

struct ImagePackage {
  std::string package;             // "dbench"
  std::string component = "main";  // "non-free" for netperf
  bool optional = false;           // left out, and noted, where it cannot be had
  std::vector<std::string> take;   // absolute paths inside it; programs and data
  bool operator==(const ImagePackage&) const = default;
};
// A program compiled for the image, linked statically against musl: for kernels that Debian's C library
// refuses.
struct ImageProgram {
  std::string path;                  // "/usr/bin/tbench", in the guest
  std::vector<std::string> files;    // "dbench/child.c": of a source package's tarball
  std::vector<std::string> include;  // "popt/src": directories for headers
  std::vector<std::string> define;   // "_GNU_SOURCE", "VERSION=\"4.00\""
  bool operator==(const ImageProgram&) const = default;
};
struct ImageSpec {
  std::string name;
  std::string suite;  // "bookworm"
  std::vector<ImagePackage> packages;
  std::vector<ImageProgram> compile;
  // The oldest Linux that all its programs start on; absent: any that rig's own start on. Held against the
  // programs themselves when the image is made.
  std::optional<KernelVersion> least_kernel;
  bool operator==(const ImageSpec&) const = default;
};

// Whether all its programs start on this kernel.
bool starts_on(const ImageSpec& spec, const KernelVersion& kernel);

// The source packages that its programs are compiled from: "dbench", "popt"; sorted.
std::vector<std::string> sources_of(const ImageSpec& spec);

}  // namespace rig
