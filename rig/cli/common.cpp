// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <system_error>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/job/job.h"

namespace rig::cli {

namespace fs = std::filesystem;

DefinitionStore store_at(const fs::path& folder) {
  JobRules rules{parser_names(), job_faults};
  return DefinitionStore({folder.empty() ? fs::path(".") : folder, data_directory()}, std::move(rules));
}

DefinitionStore store_beside(const fs::path& file) {
  // kernels/NAME.yaml and its like stand one folder below the one that is searched
  const fs::path folder = file.parent_path();
  for (const char* name : {"kernels", "toolchains", "topologies", "images", "jobs"}) {
    if (folder.filename() == name) return store_at(folder.parent_path());
  }
  return store_at(folder);
}

DefinitionKind parse_kind(const std::string& word) {
  static const std::map<std::string, DefinitionKind> kinds = {
      {"matrix", DefinitionKind::Matrix},
      {"matrices", DefinitionKind::Matrix},
      {"kernel", DefinitionKind::Kernel},
      {"kernels", DefinitionKind::Kernel},
      {"toolchain", DefinitionKind::Toolchain},
      {"toolchains", DefinitionKind::Toolchain},
      {"topology", DefinitionKind::Topology},
      {"topologies", DefinitionKind::Topology},
      {"image", DefinitionKind::Image},
      {"images", DefinitionKind::Image},
      {"job", DefinitionKind::Job},
      {"jobs", DefinitionKind::Job},
      {"reference", DefinitionKind::Reference},
      {"references", DefinitionKind::Reference},
  };
  const auto found = kinds.find(word);
  if (found != kinds.end()) return found->second;
  static const std::vector<std::string> words = {"kernels", "toolchains", "topologies", "images",
                                                 "jobs",    "matrices",   "references"};
  const std::string near = nearest(word, words);
  throw InputError(fmt::format("'{}' is no kind of definition\n  allowed: {}{}", word, one_of(words),
                               near.empty() ? "" : fmt::format("\n  did you mean '{}'?", near)));
}

Judging judging_of_run(const fs::path& directory, const RunRecord& record) {
  Judging judging;
  std::error_code error;
  const fs::path matrix = directory / "plan/matrix.yaml";
  if (!fs::is_regular_file(matrix, error)) return judging;
  try {
    judging = load_judging(matrix, DefinitionStore({directory / "plan"}));
  } catch (const InputError& fault) {
    complain(std::string("rig: judged without the run's own rules, which cannot be read:\n") + fault.what());
  }
  if (record.environment.contains("aa")) {
    judging.reference.reset();
    judging.check.reset();
  }
  return judging;
}

fs::path definition_file(const DefinitionStore& store, DefinitionKind kind, const std::string& name_or_file) {
  const bool is_path = name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".yaml");
  return is_path ? fs::path(name_or_file) : store.find(kind, name_or_file).file;
}

void complain(const std::string& message) {
  std::fflush(stdout);
  std::fputs((printable_lines(message) + "\n").c_str(), stderr);
}

fs::path cache_for_work() {
  const fs::path cache = cache_directory();
  try {
    const TempDir probe(cache, "probe");
  } catch (const WorkError& error) {
    throw HostLacks(fmt::format("rig's cache cannot be used: {}", error.what()),
                    "make it writable and leave room there, or set XDG_CACHE_HOME to another directory");
  }
  return cache;
}

void check_output_directory(const fs::path& directory, const char* option) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw InputError(fmt::format("{}: cannot make {}: {}", option, directory.string(), error.message()));
  std::string probe = (directory / ".probe-XXXXXX").string();
  if (::mkdtemp(probe.data()) != nullptr) {
    fs::remove(probe, error);
    return;
  }
  const int code = errno;
  const std::string why = std::generic_category().message(code);
  if (code == ENOSPC || code == EDQUOT)
    throw HostLacks(fmt::format("{}: no room for a run in {}: {}", option, directory.string(), why),
                    "free some room there, or choose another directory");
  throw InputError(fmt::format("{}: cannot write below {}: {}", option, directory.string(), why));
}

void print(const std::string& text) {
  // Whoever reads may have had enough (`rig list | head -1`): no fault of anybody's, and no reason to stop work
  static bool gone = false;
  if (gone) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    gone = errno == EPIPE;
    if (gone) return;
    throw WorkError("cannot write to standard output: " + std::generic_category().message(errno));
  }
}

}  // namespace rig::cli
