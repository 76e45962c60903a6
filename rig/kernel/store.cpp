// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/store.h"

#include <algorithm>

#include "rig/base/base.h"
#include "rig/kernel/artifact.h"
#include "rig/kernel/toolchain_tree.h"
#include "rig/kernel/variant.h"
#include "rig/kernel/waiting.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t name_digits = 24;  // of a hash, in the name of a directory

// Below the directory "kernels":
//   built/KEY    finished kernels      src/HASH    pristine trees      git/, downloads/   what they come from
//   work/PLACE   the one tree being built of a source: the same path for all its variants, so that
//                make and ccache find the objects of one in another
//   locks/       logs/KEY.log   the log of a build under way, and of a failed one
struct Layout {
  fs::path root;
  fs::path built(const std::string& key) const { return root / "built" / key.substr(0, name_digits); }
  fs::path work(const SourceIdentity& source) const {
    return root / "work" / sha256(source.place).substr(0, name_digits);
  }
  fs::path lock(const std::string& name) const { return root / "locks" / name; }
  fs::path log(const std::string& key) const { return root / "logs" / (key.substr(0, name_digits) + ".log"); }
};

bool prebuilt(const KernelSpec& spec) {
  return std::holds_alternative<BzImageSource>(spec.source) || std::holds_alternative<PackageSource>(spec.source);
}

std::string read_part(const fs::path& file, std::vector<Diagnostic>& faults) {
  try {
    return read_file(file);
  } catch (const InputError& error) {
    std::string message = error.what();
    const std::string prefix = "cannot read " + file.string() + ": ";
    if (message.starts_with(prefix)) message = "cannot be read: " + message.substr(prefix.size());
    faults.push_back({{file.string(), 0, 0}, "", message, "", ""});
    return "";
  }
}

struct Wanted {
  Inputs inputs;
  SourceIdentity source;
  std::optional<Toolchain> toolchain;
  CompatRules compat;
  std::string key;
};

std::optional<Wanted> want(const Origins& origins, const KernelSpec& spec, Lookup lookup,
                           const KernelProgress& progress, std::stop_token stop) {
  const auto patches = patch_files(spec.patches, origins, lookup, progress, stop);
  if (!patches) return std::nullopt;
  Wanted wanted{.inputs = read_inputs(spec, *patches)};
  auto source = identify(spec.source, origins, lookup, progress, stop);
  if (!source) return std::nullopt;
  wanted.source = std::move(*source);
  if (!prebuilt(spec)) {
    wanted.toolchain = toolchain_of(spec.toolchain, origins.packages, origins.toolchains, lookup, progress, stop);
    if (!wanted.toolchain) return std::nullopt;
    wanted.compat = rules_for(all_compat_rules(), wanted.source.version, wanted.toolchain->compiler_version);
  }
  wanted.key = kernel_key(wanted.source, wanted.inputs, wanted.toolchain, wanted.compat);
  return wanted;
}

std::optional<KernelArtifact> lookup_artifact(const Layout& layout, const Wanted& wanted) {
  auto artifact = load_artifact(layout.built(wanted.key));
  if (!artifact || artifact->key != wanted.key) return std::nullopt;
  // The same bytes may have come in under another name or path before: this definition's own is told.
  artifact->source = wanted.source.description;
  return artifact;
}

Variant variant_of(const Layout& layout, const KernelSpec& spec, Wanted wanted) {
  std::vector<ConfigLine> config = wanted.inputs.config_for(wanted.source.version);
  return {.name = spec.name,
          .inputs = std::move(wanted.inputs),
          .config = std::move(config),
          .compat = std::move(wanted.compat),
          .source = std::move(wanted.source),
          .origin = spec.source,
          .path = std::holds_alternative<PathSource>(spec.source)
                      ? std::optional(fs::canonical(std::get<PathSource>(spec.source).path))
                      : std::nullopt,
          .toolchain = *wanted.toolchain,
          .log = layout.log(wanted.key),
          .ccache = find_program("ccache") ? layout.root.parent_path() / "ccache" : fs::path()};
}

VerifiedFile compared(const fs::path& file, const fs::path& elsewhere) {
  VerifiedFile result{.name = file.filename().string(), .sha256 = sha256_of_file(file)};
  result.sha256_elsewhere = fs::exists(elsewhere) ? sha256_of_file(elsewhere) : "";
  if (result.same() || result.sha256_elsewhere.empty()) return result;
  const std::string a = read_file(file), b = read_file(elsewhere);
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  result.first_difference = static_cast<std::uint64_t>(at - a.begin());
  return result;
}

// Waits for the place where variants of this source are built.
FileLock lock_work(const Layout& layout, const SourceIdentity& source, const KernelProgress& progress,
                   const std::stop_token& stop) {
  return FileLock::wait(layout.lock(layout.work(source).filename().string()), stop,
                        waiting(progress, "builds from this source"));
}

}  // namespace

Inputs read_inputs(const KernelSpec& spec, const std::vector<fs::path>& patches) {
  Inputs inputs;
  std::vector<Diagnostic> faults;
  if (prebuilt(spec) && (!spec.patches.empty() || !spec.fragments.empty() || !spec.set.empty())) {
    faults.push_back({{},
                      spec.name,
                      "a prebuilt kernel takes neither patches nor a configuration",
                      "",
                      "remove them, or build the kernel from its source"});
    throw InputError(std::move(faults));
  }
  for (const auto& file : patches) {
    const std::size_t before = faults.size();
    inputs.patch_texts.push_back(read_part(file, faults));
    if (faults.size() == before) {
      inputs.patches.push_back(parse_patch(file.string(), inputs.patch_texts.back(), faults));
    }
  }
  std::vector<std::vector<ConfigLine>> parts;
  for (const auto& file : spec.fragments) {
    parts.push_back(parse_fragment(file.string(), read_part(file, faults), faults));
  }
  auto set = parse_set(spec.set, faults);
  parts.push_back(std::move(set));
  for (auto& fault : faults) {
    if (fault.pos.file.empty()) fault.pos.file = spec.name;
  }
  if (!faults.empty()) throw InputError(std::move(faults));
  inputs.parts = std::move(parts);
  return inputs;
}

std::string kernel_key(const SourceIdentity& source, const Inputs& inputs, const std::optional<Toolchain>& toolchain,
                       const CompatRules& compat) {
  KeyHasher hasher;
  hasher.field("format", format_version).field("source", source.content);
  for (const auto& text : inputs.patch_texts) hasher.field("patch", text);
  if (toolchain) {
    hasher.field("config", allconfig_text(inputs.config_for(source.version)))
        .field("compiler", toolchain->compiler_version)
        .field("binutils", toolchain->binutils_version);
    if (const std::string more = toolchain->further(); !more.empty()) hasher.field("toolchain", more);
    if (!compat.empty()) hasher.field("compat", fingerprint(compat));
  }
  return hasher.hex();
}

std::optional<KernelArtifact> cached_kernel(const fs::path& kernels, const PackageShelf& shelf,
                                            const KernelSpec& spec) {
  const auto wanted = want(origins_in(kernels, shelf), spec, Lookup::Remembered, {}, {});
  return wanted ? lookup_artifact(Layout{kernels}, *wanted) : std::nullopt;
}

KernelArtifact ensure_kernel(const fs::path& kernels, const PackageShelf& shelf, const KernelSpec& spec,
                             const KernelProgress& progress, std::stop_token stop) {
  const Layout layout{kernels};
  const Origins origins = origins_in(kernels, shelf);
  const Wanted wanted = *want(origins, spec, Lookup::Resolve, progress, stop);
  if (auto artifact = lookup_artifact(layout, wanted)) return *artifact;
  if (wanted.toolchain) check_compilers(*wanted.toolchain, stop);

  const FileLock key_lock =
      FileLock::wait(layout.lock(wanted.key.substr(0, name_digits)), stop, waiting(progress, "builds this kernel"));
  if (auto artifact = lookup_artifact(layout, wanted)) return *artifact;
  const FileLock work_lock = lock_work(layout, wanted.source, progress, stop);
  std::optional<Variant> variant;
  if (!prebuilt(spec)) variant = variant_of(layout, spec, wanted);
  WorkPlace work(layout.work(wanted.source), variant ? basis_of(*variant) : "");
  const fs::path finished = work.path() / "finished";
  make_directories(finished);

  KernelArtifact artifact;
  if (!variant) {
    if (progress) progress("taking " + wanted.source.description);
    artifact = take_prebuilt(spec.source, wanted.source, shelf, finished, stop);
  } else {
    artifact = build_variant(*variant, origins, work, finished, progress, stop);
  }
  artifact.key = wanted.key;
  seal_artifact(finished, artifact);
  const fs::path place = layout.built(wanted.key);
  make_directories(place.parent_path());
  for (const fs::path& above : {kernels, place.parent_path()}) fs::permissions(above, static_cast<fs::perms>(0755));
  fs::remove_all(place);  // a damaged one: a sound one was returned above
  fs::rename(finished, place);
  if (auto result = load_artifact(place)) return *result;
  throw WorkError("the finished kernel in " + place.string() + " cannot be read back");
}

void prove_kernel(const fs::path& kernels, const PackageShelf& shelf, const KernelSpec& spec,
                  const KernelProgress& progress, std::stop_token stop) {
  const Layout layout{kernels};
  const Origins origins = origins_in(kernels, shelf);
  const Wanted wanted = *want(origins, spec, Lookup::Resolve, progress, stop);
  if (prebuilt(spec) || lookup_artifact(layout, wanted)) return;
  check_compilers(*wanted.toolchain, stop);
  const FileLock work_lock = lock_work(layout, wanted.source, progress, stop);
  const Variant variant = variant_of(layout, spec, wanted);
  WorkPlace work(layout.work(wanted.source), basis_of(variant));
  configure_variant(variant, origins, work, progress, stop);
}

std::vector<VerifiedFile> verify_kernel(const fs::path& kernels, const PackageShelf& shelf, const KernelSpec& spec,
                                        const KernelProgress& progress, std::stop_token stop) {
  if (prebuilt(spec)) throw InputError(spec.name + " is taken as it is: there is no build to verify");
  const KernelArtifact known = ensure_kernel(kernels, shelf, spec, progress, stop);
  const Origins origins = origins_in(kernels, shelf);
  const Wanted wanted = *want(origins, spec, Lookup::Remembered, progress, stop);
  const TempDir elsewhere(kernels, "verify");
  const fs::path again = elsewhere.path() / "finished";
  make_directories(again);
  Variant variant = variant_of(Layout{elsewhere.path()}, spec, wanted);
  variant.ccache.clear();
  {
    WorkPlace work(elsewhere.path() / "work", basis_of(variant));
    build_variant(variant, origins, work, again, progress, stop);
  }
  std::vector<VerifiedFile> files;
  for (const fs::path& file : {known.vmlinux, known.bzimage, known.config}) {
    if (!file.empty()) files.push_back(compared(file, again / file.filename()));
  }
  return files;
}

}  // namespace rig::kernel
