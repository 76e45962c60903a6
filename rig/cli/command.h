// SPDX-License-Identifier: GPL-2.0-or-later
// The commands of rig. Each describes its options to CLI11 and leaves an action to be run once they
// have been read; the table is in main_command.cpp.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rig/base/error.h"
#include "rig/config/config.h"
#include "rig/record/record.h"

namespace CLI {
class App;
}

namespace rig::cli {

using Action = std::function<ExitCode()>;

struct Command {
  const char* name;
  const char* summary;                // one line
  std::vector<const char*> examples;  // each a command line, with what it does behind two spaces
  Action (*define)(CLI::App& app);
};

Action define_check(CLI::App& app);
Action define_plan(CLI::App& app);
Action define_list(CLI::App& app);
Action define_schema(CLI::App& app);
Action define_show(CLI::App& app);
Action define_build(CLI::App& app);
Action define_run(CLI::App& app);
Action define_report(CLI::App& app);
Action define_compare(CLI::App& app);
Action define_doctor(CLI::App& app);

// The definitions for a matrix in this folder (its own first, then rig's).
DefinitionStore store_at(const std::filesystem::path& folder);
// The same for a file: those beside it come first.
DefinitionStore store_beside(const std::filesystem::path& file);

// "kernel", "kernels", "topology" … to the kind. Throws InputError with what is known.
DefinitionKind parse_kind(const std::string& word);

// A definition by name, or by the path of its file.
std::filesystem::path definition_file(const DefinitionStore& store, DefinitionKind kind,
                                      const std::string& name_or_file);

// A definition as it was understood, for `rig show`.
std::string show(const KernelSpec& spec);
std::string show(const ToolchainSpec& spec);
std::string show(const ImageSpec& spec);
std::string show(const JobSpec& spec);
std::string show(const Reference& reference);

// How a run is judged, by the definitions kept with it. Nothing where they are not there or cannot be read any more,
// which is said.
Judging judging_of_run(const std::filesystem::path& directory, const RunRecord& record);

// A message on standard error; one that cannot be written is lost, for there is nowhere else to say it.
void complain(const std::string& message);

// The cache for what builds or runs; throws HostLacks where nothing can be written there.
std::filesystem::path cache_for_work();
// Makes the directory that an option names; throws InputError where nothing can be written there, HostLacks where
// there is no room.
void check_output_directory(const std::filesystem::path& directory, const char* option);

// Writes to standard output; throws WorkError where that fails (a full disk). A reader that went away is no fault.
void print(const std::string& text);

}  // namespace rig::cli
