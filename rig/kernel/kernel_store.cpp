// SPDX-License-Identifier: GPL-2.0-or-later
// KernelStore: the cache's functions over Debian's archive.
#include <unistd.h>

#include "rig/kernel/placed.h"
#include "rig/kernel/store.h"
#include "rig/kernel/toolchain_tree.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

// Whether rig may make files there, or in the nearest directory above that is there.
bool writable(fs::path place) {
  std::error_code none;
  while (!fs::exists(place, none) && place.has_relative_path()) place = place.parent_path();
  return fs::is_directory(place, none) && ::access(place.c_str(), W_OK | X_OK) == 0;
}

// What is wrong with a source is wrong in the definition that names it.
InputError at_source(const KernelSpec& spec, const std::string& message) {
  static constexpr const char* kinds[] = {"debian", "path", "bzimage", "package", "git", "tarball"};
  static_assert(std::size(kinds) == std::variant_size_v<KernelSource>);
  return kernel::placed(message, spec.pos, std::string("source.") + kinds[spec.source.index()]);
}

// An error of one kernel, where several may be asked for: its definition's place, or its name.
template <typename Function>
auto of_kernel(const KernelSpec& spec, Function function) {
  const auto named = [&](const Error& error) {
    const std::string message = error.what();
    return message.starts_with(spec.name + ": ") ? message : spec.name + ": " + message;
  };
  try {
    return function();
  } catch (const InputError& error) {
    if (!error.faults().empty() || spec.pos.file.empty()) throw;
    throw at_source(spec, error.what());
  } catch (const HostLacks& error) {
    throw HostLacks(named(error), "");
  } catch (const WorkError& error) {
    throw WorkError(named(error));
  }
}

// The standard library's words for a full disk or missing rights, as an error for people.
template <typename Function>
auto translated(const std::filesystem::path& cache, Function function) {
  try {
    return function();
  } catch (const WorkError& error) {
    if (writable(cache)) throw;
    throw HostLacks(error.what(), "rig keeps kernels in " + cache.string() +
                                      ", where it cannot make files: mend that, or name another directory in "
                                      "XDG_CACHE_HOME");
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
    return of_kernel(spec, [&] {
      return kernel::ensure_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec, progress, stop);
    });
  });
}

void KernelStore::prove(const KernelSpec& spec, const KernelProgress& progress, std::stop_token stop) {
  translated(cache_, [&] {
    of_kernel(spec, [&] {
      kernel::prove_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec, progress, stop);
    });
    return 0;
  });
}

std::vector<VerifiedFile> KernelStore::verify(const KernelSpec& spec, const KernelProgress& progress,
                                              std::stop_token stop) {
  return translated(cache_, [&] {
    return of_kernel(spec, [&] {
      return kernel::verify_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec, progress, stop);
    });
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
    return of_kernel(spec, [&] {
      return kernel::cached_kernel(cache_ / "kernels", kernel::debian_shelf(cache_ / "packages"), spec);
    });
  });
}

}  // namespace rig
