// SPDX-License-Identifier: GPL-2.0-or-later
// What guest tests boot: Debian's 6.1 from rig's own cache (kernel_build.cpp fills it), and an image of
// no more than the agent and the test's own program.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "rig/base/base.h"
#include "rig/config/config.h"
#include "rig/image/image.h"
#include "rig/kernel/kernel.h"

namespace rig::test {

// vmlinux, to be booted by PVH. RIG_TEST_KERNEL names another than the cache's.
inline std::filesystem::path test_kernel() {
  if (const char* chosen = std::getenv("RIG_TEST_KERNEL")) return chosen;
  static const std::filesystem::path built =
      KernelStore(cache_directory())
          .ensure(load_kernel(std::filesystem::path(RIG_SOURCE_DIR) / "kernels" / "debian-6.1.yaml"),
                  [](const std::string&) {})
          .vmlinux;
  return built;
}

inline std::string test_initrd(const std::string& script, const std::filesystem::path& program) {
  return cpio_archive({{.path = "init",
                        .mode = 0100755,
                        .data = read_file(std::filesystem::path(RIG_BUILD_DIR) / "guest" / "rig-agent")},
                       {.path = "bin/" + program.filename().string(), .mode = 0100755, .data = read_file(program)},
                       {.path = "rig/script", .mode = 0100644, .data = script}});
}

inline Topology test_topology(const std::string& name) {
  return load_topology(std::filesystem::path(RIG_SOURCE_DIR) / "topologies" / (name + ".yaml"));
}

}  // namespace rig::test
