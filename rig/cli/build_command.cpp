// SPDX-License-Identifier: GPL-2.0-or-later
// rig build kernel|image|toolchain NAME…
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/progress_line.h"
#include "rig/cli/stop_signals.h"
#include "rig/image/image.h"
#include "rig/kernel/kernel.h"
#include "rig/run/proof.h"

namespace rig::cli {
namespace {

std::string line(const char* label, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {:<10} {}\n", label, value);
}

std::string artifact_text(const std::string& name, const KernelArtifact& artifact) {
  std::string text = fmt::format("kernel {}\n", name);
  text += line("release", artifact.release) + line("source", artifact.source) + line("compiler", artifact.compiler);
  text += line("vmlinux", artifact.vmlinux.string()) + line("bzImage", artifact.bzimage.string());
  text += line("config", artifact.config.string()) + line("log", artifact.log.string());
  text += line("boots", artifact.pvh ? "vmlinux, by PVH" : "bzImage");
  const auto machines = proved_on(artifact.directory);
  text += line("proved on", fmt::format("{}", fmt::join(machines, ", ")));
  if (artifact.build_time.count() > 0) text += line("built in", format_duration(artifact.build_time));
  return text + line("key", artifact.key);
}

std::string artifact_text(const std::string& name, const ImageArtifact& artifact) {
  std::string text = fmt::format("image {}\n", name);
  text += line("file", artifact.file.string()) + line("sha256", artifact.sha256);
  for (const auto& package : artifact.packages) text += line("package", package);
  for (const auto& absent : artifact.absent) text += line("absent", absent);
  return text + line("key", artifact.key);
}

std::string artifact_text(const ToolchainArtifact& artifact) {
  std::string text = fmt::format("toolchain {}\n", artifact.name);
  text += line("compiler", artifact.compiler) + line("binutils", artifact.binutils);
  text += line("program", artifact.program) + line("directory", artifact.directory.string());
  for (const auto& package : artifact.packages) text += line("package", package);
  return text;
}

// Computed checksums that a definition lacks go into it, for as long as it lacks one.
KernelArtifact ensure_kernel(KernelStore& kernels, KernelSpec spec, const std::filesystem::path& definition,
                             bool accept_checksum, const KernelProgress& progress, std::stop_token stop) {
  for (;;) {
    try {
      return kernels.ensure(spec, progress, stop);
    } catch (const MissingChecksum& missing) {
      if (!accept_checksum) throw;
      write_file(definition, with_checksum(read_file(definition), missing.place(), missing.computed()));
      const KernelSpec changed = load_kernel(definition);
      progress("sha256 " + missing.computed() + " written into " + definition.string());
      spec = changed;
    }
  }
}

void build_kernels(const DefinitionStore& store, const std::vector<std::string>& names, bool accept_checksum) {
  std::vector<std::filesystem::path> files;
  std::vector<KernelSpec> specs;  // all are read before the first is built
  for (const auto& name : names) {
    files.push_back(definition_file(store, DefinitionKind::Kernel, name));
    specs.push_back(load_kernel(files.back()));
  }
  const StopOnSignals signals;
  KernelStore kernels(cache_for_work());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const KernelSpec& spec = specs[i];
    KernelArtifact artifact;
    {
      ProgressLine progress(stderr);
      artifact = ensure_kernel(
          kernels, spec, files[i], accept_checksum,
          [&](const std::string& now) { progress.show({0, 0, spec.name + ": " + now, {}}); }, signals.token());
    }
    print(artifact_text(spec.name, artifact));
  }
}

// Whether all kernels came out the same elsewhere.
bool verify_kernels(const DefinitionStore& store, const std::vector<std::string>& names) {
  std::vector<KernelSpec> specs;
  for (const auto& name : names) specs.push_back(load_kernel(definition_file(store, DefinitionKind::Kernel, name)));
  const StopOnSignals signals;
  KernelStore kernels(cache_for_work());
  bool all_same = true;
  for (const auto& spec : specs) {
    std::vector<VerifiedFile> files;
    {
      ProgressLine progress(stderr);
      files = kernels.verify(
          spec, [&](const std::string& now) { progress.show({0, 0, spec.name + ": " + now, {}}); }, signals.token());
    }
    std::string text = fmt::format("kernel {}, built once more elsewhere\n", spec.name);
    for (const auto& file : files) {
      text += line(file.name.c_str(), file.same()
                                          ? "the same: sha256 " + file.sha256
                                          : fmt::format("differs from byte {} on: sha256 {} in the cache, {} elsewhere",
                                                        file.first_difference, file.sha256, file.sha256_elsewhere));
      all_same = all_same && file.same();
    }
    print(text);
  }
  return all_same;
}

void build_images(const DefinitionStore& store, const std::vector<std::string>& names) {
  std::vector<ImageSpec> specs;
  for (const auto& name : names) specs.push_back(load_image(definition_file(store, DefinitionKind::Image, name)));
  const StopOnSignals signals;
  ImageStore images(cache_for_work());
  const GuestPrograms programs = guest_programs();
  for (const auto& spec : specs) print(artifact_text(spec.name, images.ensure(spec, programs, signals.token())));
}

void build_toolchains(const DefinitionStore& store, const std::vector<std::string>& names) {
  std::vector<ToolchainSpec> specs;
  for (const auto& name : names) {
    specs.push_back(load_toolchain(definition_file(store, DefinitionKind::Toolchain, name)));
  }
  const StopOnSignals signals;
  KernelStore kernels(cache_for_work());
  for (const auto& spec : specs) {
    ToolchainArtifact artifact;
    {
      ProgressLine progress(stderr);
      artifact = kernels.toolchain(
          spec, [&](const std::string& now) { progress.show({0, 0, spec.name + ": " + now, {}}); }, signals.token());
    }
    print(artifact_text(artifact));
  }
}

}  // namespace

Action define_build(CLI::App& app) {
  struct Arguments {
    std::string kind;
    std::vector<std::string> names;
    bool accept_checksum = false, verify = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("KIND", arguments->kind, "kernel, image or toolchain")->required();
  app.add_option("NAME", arguments->names, "their names, or their files")->required();
  app.add_flag("--accept-checksum", arguments->accept_checksum,
               "kernel: write computed checksums that a definition lacks into it");
  app.add_flag("--verify", arguments->verify, "kernel: build it once more elsewhere, and compare bit by bit");
  return [arguments] {
    const DefinitionKind kind = parse_kind(arguments->kind);
    const DefinitionStore store = store_at(".");
    if (arguments->verify && kind != DefinitionKind::Kernel) {
      throw InputError("--verify is for kernels");
    }
    if (arguments->verify) {
      if (!verify_kernels(store, arguments->names)) return ExitCode::CheckFailed;
    } else if (kind == DefinitionKind::Kernel) {
      build_kernels(store, arguments->names, arguments->accept_checksum);
    } else if (kind == DefinitionKind::Image) {
      build_images(store, arguments->names);
    } else if (kind == DefinitionKind::Toolchain) {
      build_toolchains(store, arguments->names);
    } else {
      throw InputError(fmt::format("a {} is not built\n  allowed: kernel, image or toolchain", to_string(kind)));
    }
    return ExitCode::Done;
  };
}

}  // namespace rig::cli
