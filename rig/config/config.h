// SPDX-License-Identifier: GPL-2.0-or-later
// Definition files to values, with positions: the only folder that includes yaml-cpp.
// Every fault of a file (and of the definitions it names) is collected and thrown as one InputError.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rig/base/diagnostic.h"
#include "rig/plan/plan.h"
#include "rig/reference/reference.h"

namespace rig {

enum class DefinitionKind { Matrix, Kernel, Toolchain, Topology, Image, Job, Reference };
std::string to_string(DefinitionKind kind);

// A definition found on this host. The name is the file's stem; earlier directories win.
struct Definition {
  DefinitionKind kind;
  std::string name;
  std::filesystem::path file;
};

// What only rig/job knows of a job, handed in by who may use both folders.
struct JobRules {
  std::vector<std::string> parsers;                                // parser_names(); empty: not checked
  std::function<std::vector<std::string>(const JobSpec&)> faults;  // job_faults; may be empty
};

// Finds definitions by name: in <dir>/kernels, <dir>/toolchains, <dir>/topologies, <dir>/images, <dir>/jobs (matrices
// in <dir>/jobs/matrices, references in <dir>/jobs/references) of each directory given, in order (a matrix's own
// directory first, then
// rig's data_directory()).
class DefinitionStore {
 public:
  explicit DefinitionStore(std::vector<std::filesystem::path> directories, JobRules rules = {});
  std::vector<Definition> list(DefinitionKind kind) const;  // by name
  // Throws InputError with the near misses where there is none.
  Definition find(DefinitionKind kind, const std::string& name) const;
  const JobRules& rules() const { return rules_; }

 private:
  std::vector<std::filesystem::path> directories_;
  JobRules rules_;
};

KernelSpec load_kernel(const std::filesystem::path& file);
ToolchainSpec load_toolchain(const std::filesystem::path& file);
Topology load_topology(const std::filesystem::path& file);
ImageSpec load_image(const std::filesystem::path& file);
JobSpec load_job(const std::filesystem::path& file, const JobRules& rules = {});
Reference load_reference(const std::filesystem::path& file);
// Resolves every name in the matrix through the store.
MatrixSpec load_matrix(const std::filesystem::path& file, const DefinitionStore& store);
// Only how it is judged: no other definition is read.
Judging load_judging(const std::filesystem::path& file, const DefinitionStore& store);

// A definition's text with "sha256:" beside the url or file at this place (line and column from 1), which
// is the value of a key of a map that has none yet. Pure; all else stays as it is written.
std::string with_checksum(const std::string& definition, const SourcePos& place, const std::string& sha256);

// What kind of definition a file holds, by its keys. Throws InputError where they say nothing.
DefinitionKind kind_of(const std::filesystem::path& file);

// `rig check FILE`: loads it by its kind; the faults, none where it is right.
std::vector<Diagnostic> check(const std::filesystem::path& file, const DefinitionStore& store);

}  // namespace rig
