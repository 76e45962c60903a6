// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/variant.h"

#include <functional>
#include <thread>

#include "rig/base/base.h"
#include "rig/kernel/artifact.h"
#include "rig/kernel/build.h"
#include "rig/kernel/build_log.h"
#include "rig/kernel/tree.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

// The patched tree at its fixed path in the work place, made or brought up to date. Patches are tried
// before anything else is touched.
StagedPatches prepare_tree(const Variant& variant, const Origins& origins, WorkPlace& work,
                           const KernelProgress& progress, std::stop_token stop) {
  const fs::path tree = work.source(), staging = work.path() / "patched";
  const fs::path pristine = variant.path ? *variant.path : pristine_tree(variant.source, origins);
  if (!variant.path) make_pristine(variant.origin, variant.source, origins, progress, stop);
  check_build_tools(pristine, variant.config, variant.toolchain, stop);
  make_directories(staging);
  if (progress && !variant.inputs.patches.empty()) progress("patching");
  StagedPatches staged = stage_patches(pristine, variant.inputs.patches, staging, stop);
  stage_compat(pristine, variant.compat, variant.source.version, staged);

  std::set<std::string> files = staged.touched;
  if (work.last()) files.insert(work.last()->touched.begin(), work.last()->touched.end());
  if (variant.path) {
    if (progress) progress("copying " + pristine.string());
    files.merge(path_tree_files(pristine, tree, stop));
  }
  work.begin();
  if (!variant.path && !work.last()) link_tree(pristine, tree, stop);
  update_tree(pristine, files, staged, tree, stop);
  if (variant.path) settle_path_tree(pristine, variant.source, work.path(), tree, stop);
  return staged;
}

Build build_of(const Variant& variant, const WorkPlace& work) {
  return {.name = variant.name,
          .source = work.source(),
          .output = work.build(),
          .work = work.path(),
          .log = variant.log,
          .ccache = variant.ccache,
          .toolchain = variant.toolchain,
          .compat = variant.compat,
          .jobs = std::max(1u, std::thread::hardware_concurrency())};
}

// Does something with the objects of the place, and keeps them for the next variant: when it fails, too,
// unless it was cut short (interrupted, or the disk is full).
void keeping(const Variant& variant, WorkPlace& work, const LastBuild& last, const std::function<void()>& step) {
  try {
    step();
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error&) {
    if (!disk_full(read_file(variant.log))) work.keep(last);
    throw;
  }
  work.keep(last);
}

// The symbols that the fragments have for other versions only, in the log: nothing is left out in silence.
std::string not_asked(const Variant& variant) {
  std::string text;
  for (const auto& symbol : variant.inputs.left_out(variant.source.version))
    text += (text.empty() ? "" : ", ") + symbol;
  return text.empty() ? "" : "not asked of this version: " + text + "\n";
}

LastBuild configure_in(const Variant& variant, const Build& build, const Origins& origins, WorkPlace& work,
                       const KernelProgress& progress, std::stop_token stop) {
  const StagedPatches staged = prepare_tree(variant, origins, work, progress, stop);
  make_directories(variant.log.parent_path());
  write_file(variant.log, "kernel " + variant.name + "\nsource " + variant.source.description + "\ncompiler " +
                              variant.toolchain.description() + "\n" + variant.toolchain.further() + staged.log +
                              not_asked(variant));
  if (progress) progress("configuring");
  const LastBuild last{basis_of(variant), staged.touched};
  keeping(variant, work, last, [&] { configure(build, variant.config, stop); });
  return last;
}

}  // namespace

std::vector<ConfigLine> Inputs::config_for(const std::optional<KernelVersion>& version) const {
  std::vector<std::vector<ConfigLine>> wanted;
  for (const auto& part : parts) wanted.push_back(lines_for(part, version));
  return merge_config(wanted);
}

std::vector<std::string> Inputs::left_out(const std::optional<KernelVersion>& version) const {
  std::vector<std::string> symbols;
  for (const auto& part : parts) {
    for (auto& symbol : kernel::left_out(part, version)) symbols.push_back(std::move(symbol));
  }
  return symbols;
}

std::string basis_of(const Variant& variant) {
  KeyHasher hasher;
  hasher.field("format", format_version)
      .field("compiler", variant.toolchain.compiler_version)
      .field("binutils", variant.toolchain.binutils_version);
  if (const std::string more = variant.toolchain.further(); !more.empty()) hasher.field("toolchain", more);
  if (!variant.compat.empty()) hasher.field("compat", fingerprint(variant.compat));
  // A user's files are compared one by one; a package's are as they are.
  if (!variant.path) hasher.field("source", variant.source.content);
  return hasher.hex();
}

void configure_variant(const Variant& variant, const Origins& origins, WorkPlace& work, const KernelProgress& progress,
                       std::stop_token stop) {
  configure_in(variant, build_of(variant, work), origins, work, progress, stop);
}

KernelArtifact build_variant(const Variant& variant, const Origins& origins, WorkPlace& work, const fs::path& finished,
                             const KernelProgress& progress, std::stop_token stop) {
  const auto began = std::chrono::steady_clock::now();
  const Build build = build_of(variant, work);
  const LastBuild last = configure_in(variant, build, origins, work, progress, stop);
  work.begin();
  keeping(variant, work, last, [&] { compile(build, progress, stop); });
  KernelArtifact artifact = collect(build, finished);
  artifact.source = variant.source.description;
  if (!variant.compat.empty()) artifact.compiler += ", " + summary(variant.compat);
  artifact.build_time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  fs::rename(build.log, finished / log_name);
  return artifact;
}

}  // namespace rig::kernel
