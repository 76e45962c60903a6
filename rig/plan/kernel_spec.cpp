// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/kernel_spec.h"

#include <fmt/format.h>

namespace rig {
namespace {

struct Describe {
  std::string operator()(const DebianSource& source) const {
    return fmt::format("{} ({})", source.package, source.suite);
  }
  std::string operator()(const PathSource& source) const { return source.path.string(); }
  std::string operator()(const BzImageSource& source) const { return source.file.string(); }
  std::string operator()(const PackageSource& source) const {
    return fmt::format("{} ({}), prebuilt", source.package, source.suite);
  }
  std::string operator()(const GitSource& source) const { return fmt::format("{} of {}", source.ref, source.url); }
  std::string operator()(const TarballSource& source) const {
    return source.url.empty() ? source.file.string() : source.url;
  }
};

struct Named {
  std::optional<KernelVersion> operator()(const DebianSource& source) const { return named_version(source.package); }
  std::optional<KernelVersion> operator()(const PackageSource& source) const { return named_version(source.package); }
  std::optional<KernelVersion> operator()(const GitSource& source) const { return named_version(source.ref); }
  std::optional<KernelVersion> operator()(const TarballSource& source) const {
    return named_version(source.url.empty() ? source.file.string() : source.url);
  }
  std::optional<KernelVersion> operator()(const PathSource&) const { return std::nullopt; }
  std::optional<KernelVersion> operator()(const BzImageSource&) const { return std::nullopt; }
};

}  // namespace

std::optional<KernelVersion> named_version(const KernelSpec& spec) { return std::visit(Named{}, spec.source); }

bool is_prebuilt(const KernelSpec& spec) {
  return std::holds_alternative<BzImageSource>(spec.source) || std::holds_alternative<PackageSource>(spec.source);
}

std::string patch_name(const PatchSource& patch) {
  if (patch.url.empty()) return patch.file.filename().string();
  return patch.url.substr(patch.url.rfind('/') + 1);
}

std::string describe_source(const KernelSpec& spec) { return std::visit(Describe{}, spec.source); }

}  // namespace rig
