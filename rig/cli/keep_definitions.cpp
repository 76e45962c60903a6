// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/keep_definitions.h"

#include "rig/base/base.h"

namespace rig::cli {
namespace {

namespace fs = std::filesystem;

void keep_file(const fs::path& from, const fs::path& to) {
  make_directories(to.parent_path());
  write_file(to, read_file(from));
}

// The file's place below folder, or nothing where it is elsewhere.
std::optional<fs::path> below(const fs::path& file, const fs::path& folder) {
  const fs::path relative = fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(folder));
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

}  // namespace

void keep_definitions(const fs::path& matrix, const MatrixSpec& spec, const DefinitionStore& store,
                      const fs::path& directory) {
  const auto keep = [&](DefinitionKind kind, const std::string& folder, const std::string& name) {
    const fs::path file = store.find(kind, name).file;
    keep_file(file, directory / folder / (name + ".yaml"));
    return file;
  };
  keep_file(matrix, directory / "matrix.yaml");
  for (const auto& kernel : all_kernels(spec)) {
    const fs::path folder = keep(DefinitionKind::Kernel, "kernels", kernel.name).parent_path();
    for (const auto& patch : kernel.patches) {
      if (!patch.url.empty()) continue;
      if (const auto place = below(patch.file, folder)) keep_file(patch.file, directory / "kernels" / *place);
    }
    const fs::path& toolchain = kernel.toolchain.file;
    if (!toolchain.empty()) keep_file(toolchain, directory / "toolchains" / toolchain.filename());
    for (const auto& file : kernel.fragments) keep_file(file, directory / "kernels/fragments" / file.filename());
  }
  for (const auto& topology : spec.topologies) keep(DefinitionKind::Topology, "topologies", definition_of(topology));
  for (const auto& topology : spec.peer_topologies) keep(DefinitionKind::Topology, "topologies", topology.name);
  for (const auto& job : spec.definitions) keep(DefinitionKind::Job, "jobs", job.name);
  keep(DefinitionKind::Image, "images", spec.image.name);
  for (const auto& image : spec.fallbacks) keep(DefinitionKind::Image, "images", image.name);
  if (spec.judging.reference) keep(DefinitionKind::Reference, "jobs/references", spec.judging.reference->name);
}

}  // namespace rig::cli
