// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rig/base/error.h"
#include "rig/config/config.h"
#include "rig/config/shape.h"

namespace rig {
namespace {

std::filesystem::path folder_of(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::Matrix:
      return std::filesystem::path("jobs") / "matrices";
    case DefinitionKind::Kernel:
      return "kernels";
    case DefinitionKind::Toolchain:
      return "toolchains";
    case DefinitionKind::Topology:
      return "topologies";
    case DefinitionKind::Image:
      return "images";
    case DefinitionKind::Reference:
      return std::filesystem::path("jobs") / "references";
    case DefinitionKind::Job:
      break;
  }
  return "jobs";
}

}  // namespace

DefinitionStore::DefinitionStore(std::vector<std::filesystem::path> directories, JobRules rules)
    : directories_(std::move(directories)), rules_(std::move(rules)) {}

std::vector<Definition> DefinitionStore::list(DefinitionKind kind) const {
  std::map<std::string, Definition> found;
  for (const auto& directory : directories_) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory / folder_of(kind), error)) {
      const auto& file = entry.path();
      if (file.extension() != ".yaml" || !entry.is_regular_file(error)) continue;
      found.try_emplace(file.stem().string(), Definition{kind, file.stem().string(), file.lexically_normal()});
    }
  }
  std::vector<Definition> all;
  for (auto& [name, definition] : found) all.push_back(std::move(definition));
  return all;
}

Definition DefinitionStore::find(DefinitionKind kind, const std::string& name) const {
  std::vector<std::string> names;
  for (auto& definition : list(kind)) {
    if (definition.name == name) return definition;
    names.push_back(definition.name);
  }
  std::string message = fmt::format("there is no {} '{}'", to_string(kind), name);
  if (!names.empty()) message += "\n  allowed: " + one_of(names);
  if (const std::string near = config::did_you_mean(name, names); !near.empty()) message += "\n  " + near;
  if (names.empty()) {
    for (const auto& directory : directories_)
      message += "\n  looked in " + (directory / folder_of(kind)).lexically_normal().string();
  }
  throw InputError(message);
}

}  // namespace rig
