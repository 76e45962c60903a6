// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/config.h"

#include <fmt/format.h>

#include "rig/base/error.h"
#include "rig/config/definition_file.h"

namespace rig {
namespace {

constexpr DefinitionKind kinds[] = {DefinitionKind::Matrix,   DefinitionKind::Kernel, DefinitionKind::Toolchain,
                                    DefinitionKind::Topology, DefinitionKind::Image,  DefinitionKind::Job,
                                    DefinitionKind::Reference};

// The value, or everything that was found wrong.
template <class T>
T complete(std::optional<T> value, std::vector<Diagnostic> faults) {
  if (!faults.empty() || !value) throw InputError(std::move(faults));
  return std::move(*value);
}

// The kind, or nothing with the fault added.
std::optional<DefinitionKind> kind_in(const std::filesystem::path& file, std::vector<Diagnostic>& faults) {
  const auto root = yaml::load(file, faults);
  if (!root) return std::nullopt;
  const auto unknown = [&](const yaml::Mark& at, const std::string& message, const std::string& suggestion) {
    faults.push_back({{file.string(), at.line, at.column},
                      "",
                      message,
                      "a first key of kernel, toolchain, topology, image, job, reference, or name (a matrix)",
                      suggestion});
    return std::nullopt;
  };
  if (root->kind != yaml::Node::Kind::Map || root->members.empty()) {
    return unknown(root->mark, "this is no map of keys and values", "");
  }
  if (root->find("tables") != nullptr && root->find("source") != nullptr) return DefinitionKind::Reference;
  for (const char* key : {"kernels", "topologies", "jobs"}) {
    if (root->find(key) != nullptr) return DefinitionKind::Matrix;
  }
  const yaml::Member& first = root->members.front();
  if (first.key == "name") return DefinitionKind::Matrix;
  std::vector<std::string> names = {"name"};
  for (const DefinitionKind kind : kinds) {
    if (kind == DefinitionKind::Matrix) continue;
    if (first.key == to_string(kind)) return kind;
    names.push_back(to_string(kind));
  }
  return unknown(first.mark, fmt::format("'{}' does not say what this file defines", first.key),
                 config::did_you_mean(first.key, names));
}

}  // namespace

std::string to_string(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::Matrix:
      return "matrix";
    case DefinitionKind::Kernel:
      return "kernel";
    case DefinitionKind::Toolchain:
      return "toolchain";
    case DefinitionKind::Topology:
      return "topology";
    case DefinitionKind::Image:
      return "image";
    case DefinitionKind::Reference:
      return "reference";
    case DefinitionKind::Job:
      break;
  }
  return "job";
}

KernelSpec load_kernel(const std::filesystem::path& file) {
  std::vector<Diagnostic> faults;
  auto spec = config::read_kernel(file, faults);
  return complete(std::move(spec), std::move(faults));
}

ToolchainSpec load_toolchain(const std::filesystem::path& file) {
  std::vector<Diagnostic> faults;
  auto spec = config::read_toolchain(file, faults);
  return complete(std::move(spec), std::move(faults));
}

Topology load_topology(const std::filesystem::path& file) {
  std::vector<Diagnostic> faults;
  auto spec = config::read_topology(file, faults);
  return complete(std::move(spec), std::move(faults));
}

ImageSpec load_image(const std::filesystem::path& file) {
  std::vector<Diagnostic> faults;
  auto spec = config::read_image(file, faults);
  return complete(std::move(spec), std::move(faults));
}

JobSpec load_job(const std::filesystem::path& file, const JobRules& rules) {
  std::vector<Diagnostic> faults;
  auto spec = config::read_job(file, rules, faults);
  return complete(std::move(spec), std::move(faults));
}

Reference load_reference(const std::filesystem::path& file) {
  std::vector<Diagnostic> faults;
  auto reference = config::read_reference(file, faults);
  return complete(std::move(reference), std::move(faults));
}

Judging load_judging(const std::filesystem::path& file, const DefinitionStore& store) {
  std::vector<Diagnostic> faults;
  auto judging = config::read_matrix_judging(file, store, faults);
  return complete(std::move(judging), std::move(faults));
}

MatrixSpec load_matrix(const std::filesystem::path& file, const DefinitionStore& store) {
  std::vector<Diagnostic> faults;
  auto spec = config::read_matrix(file, store, faults);
  return complete(std::move(spec), std::move(faults));
}

DefinitionKind kind_of(const std::filesystem::path& file) {
  std::vector<Diagnostic> faults;
  const auto kind = kind_in(file, faults);
  if (!kind) throw InputError(std::move(faults));
  return *kind;
}

std::vector<Diagnostic> check(const std::filesystem::path& file, const DefinitionStore& store) {
  std::vector<Diagnostic> faults;
  const auto kind = kind_in(file, faults);
  if (!kind) return faults;
  faults.clear();  // the reader finds the same ones again
  switch (*kind) {
    case DefinitionKind::Matrix:
      config::read_matrix(file, store, faults);
      break;
    case DefinitionKind::Kernel:
      config::read_kernel(file, faults);
      break;
    case DefinitionKind::Toolchain:
      config::read_toolchain(file, faults);
      break;
    case DefinitionKind::Topology:
      config::read_topology(file, faults);
      break;
    case DefinitionKind::Image:
      config::read_image(file, faults);
      break;
    case DefinitionKind::Reference:
      config::read_reference(file, faults);
      break;
    case DefinitionKind::Job:
      config::read_job(file, store.rules(), faults);
      break;
  }
  return faults;
}

}  // namespace rig
