// SPDX-License-Identifier: GPL-2.0-or-later
// rig build kernel|image NAME…
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/progress_line.h"
#include "rig/cli/stop_signals.h"
#include "rig/image/image.h"
#include "rig/kernel/kernel.h"

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

void build_kernels(const DefinitionStore& store, const std::vector<std::string>& names) {
  std::vector<KernelSpec> specs;  // all are read before the first is built
  for (const auto& name : names) specs.push_back(load_kernel(definition_file(store, DefinitionKind::Kernel, name)));
  const StopOnSignals signals;
  KernelStore kernels(cache_directory());
  for (const auto& spec : specs) {
    KernelArtifact artifact;
    {
      ProgressLine progress(stderr);
      artifact = kernels.ensure(
          spec, [&](const std::string& now) { progress.show({0, 0, spec.name + ": " + now, {}}); }, signals.token());
    }
    print(artifact_text(spec.name, artifact));
  }
}

void build_images(const DefinitionStore& store, const std::vector<std::string>& names) {
  std::vector<ImageSpec> specs;
  for (const auto& name : names) specs.push_back(load_image(definition_file(store, DefinitionKind::Image, name)));
  const StopOnSignals signals;
  ImageStore images(cache_directory());
  const GuestPrograms programs = guest_programs();
  for (const auto& spec : specs) print(artifact_text(spec.name, images.ensure(spec, programs, signals.token())));
}

}  // namespace

Action define_build(CLI::App& app) {
  struct Arguments {
    std::string kind;
    std::vector<std::string> names;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("KIND", arguments->kind, "kernel or image")->required();
  app.add_option("NAME", arguments->names, "their names, or their files")->required();
  return [arguments] {
    const DefinitionKind kind = parse_kind(arguments->kind);
    const DefinitionStore store = store_at(".");
    if (kind == DefinitionKind::Kernel) {
      build_kernels(store, arguments->names);
    } else if (kind == DefinitionKind::Image) {
      build_images(store, arguments->names);
    } else {
      throw InputError(fmt::format("a {} is not built\n  allowed: kernel or image", to_string(kind)));
    }
    return ExitCode::Done;
  };
}

}  // namespace rig::cli
