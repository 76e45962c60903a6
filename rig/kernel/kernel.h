// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels: source, strict patches, verified configuration, build, and a content-addressed cache.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/base/error.h"
#include "rig/plan/kernel_spec.h"

namespace rig {

// A built (or taken) kernel in the cache. The directory is complete once it exists.
struct KernelArtifact {
  std::string key;  // hash of all that determines it: source, patches, config, compiler
  std::filesystem::path directory;
  std::filesystem::path vmlinux;  // empty where there is none (prebuilt)
  std::filesystem::path bzimage;
  std::filesystem::path config;  // empty where not known
  std::filesystem::path log;
  std::string release;        // "6.1.192", as uname -r will say; empty where not known
  std::string config_sha256;  // of what /proc/config.gz will be; empty without IKCONFIG_PROC
  std::string source;         // "linux-source-6.1 6.1.192-3 (bookworm), sha256 0123456789ab"
  std::string compiler;       // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld 2.40"
  bool pvh = false;           // vmlinux carries the PVH entry note
  std::chrono::milliseconds build_time{0};
};

// The definition's checksum is not there: exit code 2, with the computed one and what to write where.
// The place is that of the URL or file in the definition.
class MissingChecksum : public InputError {
 public:
  MissingChecksum(const SourcePos& place, const std::string& path, const std::string& computed);
  const SourcePos& place() const { return place_; }
  const std::string& computed() const { return computed_; }

 private:
  SourcePos place_;
  std::string computed_;
};

// A file of a kernel beside the same file of its build elsewhere.
struct VerifiedFile {
  std::string name;  // "vmlinux", "bzImage", "config"
  std::string sha256, sha256_elsewhere;
  std::uint64_t first_difference = 0;  // offset in bytes, where they differ
  bool same() const { return sha256 == sha256_elsewhere; }
};

// A toolchain as it is found, its packages unpacked.
struct ToolchainArtifact {
  std::string name;
  std::filesystem::path directory;    // of what is unpacked, or the user's own; empty for programs in PATH
  std::string compiler, binutils;     // "gcc-10 (Debian 10.2.1-6) 10.2.1 20210110"
  std::string program;                // what is called as the compiler
  std::vector<std::string> packages;  // "gcc-10 10.2.1-6 sha256 …"
};

// Called with one line for the progress display ("unpacking", "configuring", "building, 412 objects").
using KernelProgress = std::function<void(const std::string&)>;

class KernelStore {
 public:
  // cache: rig's cache directory; kernels/ and packages/ below it are used.
  explicit KernelStore(std::filesystem::path cache);

  // From the cache, or built. One builder per key across processes: the others wait and take its
  // result. Throws InputError (a patch that does not apply with the hunk that failed; a fragment
  // symbol that does not stick, named with its reason; no kernel tree), WorkError (a failing build,
  // with its first error and the log's path), HostLacks, InterruptedError.
  KernelArtifact ensure(const KernelSpec& spec, const KernelProgress& progress = {}, std::stop_token stop = {});

  // Takes a kernel that is not in the cache as far as its verified configuration, and compiles nothing:
  // so that a matrix's last kernel is known to be wrong before its first is built. Throws as ensure().
  void prove(const KernelSpec& spec, const KernelProgress& progress = {}, std::stop_token stop = {});

  // Builds a kernel once more: in another directory, without the objects of earlier builds and without
  // ccache, from the same source, patches, configuration and compiler. Gives its files, compared with the
  // cache's, which is left as it is. Throws as ensure(), and InputError for a prebuilt kernel.
  std::vector<VerifiedFile> verify(const KernelSpec& spec, const KernelProgress& progress = {},
                                   std::stop_token stop = {});

  // The artifact if it is in the cache already: no network, no build.
  std::optional<KernelArtifact> cached(const KernelSpec& spec);

  // Unpacks a toolchain where it is made of packages, and proves that it compiles. Throws as ensure().
  ToolchainArtifact toolchain(const ToolchainSpec& spec, const KernelProgress& progress = {},
                              std::stop_token stop = {});

 private:
  std::filesystem::path cache_;
};

}  // namespace rig
