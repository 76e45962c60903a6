// SPDX-License-Identifier: GPL-2.0-or-later
// KernelStore: the cache's functions over Debian's archive.
#include "rig/kernel/store.h"
#include "rig/kernel/toolchain_tree.h"

namespace rig {
namespace {

// The standard library's words for a full disk or missing rights, as an error for people.
template <typename Function>
auto translated(const std::filesystem::path& cache, Function function) {
  try {
    return function();
  } catch (const std::filesystem::filesystem_error& error) {
    const auto& file = error.path2().empty() ? error.path1() : error.path2();
    const std::string place = file.empty() ? "" : ": " + file.string();
    if (error.code() == std::errc::no_space_on_device) {
      throw WorkError("the disk of the kernel cache is full" + place + "\n  free some space on the disk of " +
                      cache.string() + " and try again");
    }
    throw WorkError("the kernel cache cannot be used: " + error.code().message() + place);
  }
}

}  // namespace

KernelStore::KernelStore(std::filesystem::path cache) : cache_(std::filesystem::absolute(std::move(cache))) {}

KernelArtifact KernelStore::ensure(const KernelSpec& spec, const KernelProgress& progress, std::stop_token stop) {
  return translated(cache_, [&] {
    return kernel::ensure_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec, progress, stop);
  });
}

void KernelStore::prove(const KernelSpec& spec, const KernelProgress& progress, std::stop_token stop) {
  translated(cache_, [&] {
    kernel::prove_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec, progress, stop);
    return 0;
  });
}

std::vector<VerifiedFile> KernelStore::verify(const KernelSpec& spec, const KernelProgress& progress,
                                              std::stop_token stop) {
  return translated(cache_, [&] {
    return kernel::verify_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec, progress, stop);
  });
}

ToolchainArtifact KernelStore::toolchain(const ToolchainSpec& spec, const KernelProgress& progress,
                                         std::stop_token stop) {
  return translated(cache_, [&] {
    return kernel::ensure_toolchain(spec, kernel::debian_shelf(cache_ / "packages"), cache_ / "toolchains", progress,
                                    stop);
  });
}

std::optional<KernelArtifact> KernelStore::cached(const KernelSpec& spec) {
  return translated(cache_, [&] {
    return kernel::cached_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec);
  });
}

}  // namespace rig
