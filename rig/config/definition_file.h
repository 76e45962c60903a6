// SPDX-License-Identifier: GPL-2.0-or-later
// One definition file of each kind: its table of keys, and the value read from it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rig/config/config.h"
#include "rig/config/shape.h"

namespace rig::config {

// The keys of a kind of definition.
const Shape& shape_of(DefinitionKind kind);
const Shape& kernel_shape();
const Shape& toolchain_shape();
const Shape& topology_shape();
const Shape& image_shape();
const Shape& job_shape();
const Shape& matrix_shape();
const Shape& reference_shape();

// What a value of this parameter must be.
Shape parameter_shape(const JobParameter& parameter);

// A file read and checked against its shape. root is null where nothing could be read from it.
struct Document {
  std::filesystem::path file;
  yaml::NodePtr root;
  Faults faults;
  bool sound() const { return root != nullptr && faults.count() == 0; }
};

// Reads the file and checks its shape and that its name is the file's stem (but for a matrix).
// Faults go to all.
Document open_definition(const std::filesystem::path& file, DefinitionKind kind, std::vector<Diagnostic>& all);

// The definition of this name, or nothing with the fault added at the node.
std::optional<Definition> find_definition(const DefinitionStore& store, DefinitionKind kind, const yaml::Node& node,
                                          const std::string& where, Faults& faults);

// The definition, or nothing where it has any fault.
std::optional<KernelSpec> read_kernel(const std::filesystem::path& file, std::vector<Diagnostic>& all);
std::optional<ToolchainSpec> read_toolchain(const std::filesystem::path& file, std::vector<Diagnostic>& all);
std::optional<Topology> read_topology(const std::filesystem::path& file, std::vector<Diagnostic>& all);
std::optional<Topology> topology_of(Document& document);  // of a document that was checked against its shape
std::optional<ImageSpec> read_image(const std::filesystem::path& file, std::vector<Diagnostic>& all);
std::optional<JobSpec> read_job(const std::filesystem::path& file, const JobRules& rules, std::vector<Diagnostic>& all);
std::optional<Reference> read_reference(const std::filesystem::path& file, std::vector<Diagnostic>& all);
// Only how the matrix is judged: no other definition is read.
std::optional<Judging> read_matrix_judging(const std::filesystem::path& file, const DefinitionStore& store,
                                           std::vector<Diagnostic>& all);
std::optional<MatrixSpec> read_matrix(const std::filesystem::path& file, const DefinitionStore& store,
                                      std::vector<Diagnostic>& all);

}  // namespace rig::config
