// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>
#include <set>
#include <system_error>

#include "rig/base/base.h"
#include "rig/cli/cli.h"
#include "rig/cli/command.h"

namespace rig {
namespace {

using cli::Command;

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"run",
       "build what a matrix needs, run it in guests, and report",
       {"rig run matrix.yaml", "rig run matrix.yaml --accel tcg --only job=tcp-rr", "rig run matrix.yaml --dry-run",
        "rig run matrix.yaml --resume runs/bld-on-q6600-20261130T160800Z-0123abcd"},
       cli::define_run},
      {"plan",
       "what a matrix would run: the cells, what they need, how long they take",
       {"rig plan matrix.yaml", "rig plan jobs/matrices/bld.yaml --only 'clients=1|2'", "rig plan matrix.yaml --json",
        "rig plan matrix.yaml --host 'synthetic:package:2 l3:2 core:4 pu:2'"},
       cli::define_plan},
      {"check",
       "validate definition files",
       {"rig check matrix.yaml", "rig check kernels/*.yaml topologies/*.yaml"},
       cli::define_check},
      {"list",
       "what is defined: kernels, toolchains, topologies, images, jobs, matrices",
       {"rig list", "rig list topologies"},
       cli::define_list},
      {"schema",
       "a kind of definition as JSON Schema, for editors",
       {"rig schema matrix > matrix.schema.json"},
       cli::define_schema},
      {"show",
       "a definition as it is understood; a topology is drawn",
       {"rig show topology q6600", "rig show topology q6600 --host live --svg q6600.svg",
        "rig show topology q6600-shared-l2 --matrix jobs/matrices/what-if-shared-l2.yaml",
        "rig show kernel debian-6.1-bld", "rig show job tbench"},
       cli::define_show},
      {"build",
       "build kernels, images or toolchains into the cache",
       {"rig build kernel debian-6.1 debian-6.1-bld", "rig build image bench", "rig build toolchain gcc-10-bullseye"},
       cli::define_build},
      {"report",
       "the report of a run, once more, or in another format",
       {"rig report runs/bld-on-q6600-20261130T160800Z-0123abcd", "rig report RUN --format html -o report.html",
        "rig report RUN --format csv"},
       cli::define_report},
      {"compare",
       "two runs of one matrix beside each other: another kernel, host or QEMU",
       {"rig compare runs/bld-on-q6600-20261130T160800Z-0123abcd runs/bld-on-q6600-20261201T090000Z-0123abcd",
        "rig compare RUN_A RUN_B --format md"},
       cli::define_compare},
      {"doctor",
       "what this host has of what rig needs, found by trying, and what mends it",
       {"rig doctor", "rig doctor --fresh --json", "rig doctor --host synthetic:'pack:2 l3:1 core:4 pu:2'"},
       cli::define_doctor},
  };
  return table;
}

std::string overview() {
  std::string text =
      "rig builds kernels, boots them in guests shaped like chosen machines, runs network benchmarks in\n"
      "them and reports what changed.\n\n"
      "usage: rig COMMAND …\n\n";
  for (const auto& command : commands()) text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  text +=
      fmt::format("  {:<8} {}\n  {:<8} {}\n\n", "help", "help on a command: rig help run", "version", "rig's version");
  text +=
      "exit codes: 0 done; 2 the input is wrong, nothing was started; 3 this host lacks something;\n"
      "            4 some cells failed, the rest are kept; 130 interrupted, can be resumed\n";
  return text;
}

const Command* find(const std::string& name) {
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const Command& c) { return c.name == name; });
  return found == commands().end() ? nullptr : &*found;
}

InputError unknown_command(const std::string& word) {
  std::vector<std::string> names = {"help", "version"};
  for (const auto& command : commands()) names.emplace_back(command.name);
  const std::string near = nearest(word, names);
  return InputError(fmt::format("there is no command '{}'\n  {}", word,
                                near.empty() ? "`rig help` lists them" : fmt::format("did you mean '{}'?", near)));
}

// CLI11 lays out a command's options; the examples follow.
std::string help_text(const Command& command, const CLI::App& app) {
  std::string text = app.help() + "\nexamples:\n";
  for (const char* example : command.examples) text += fmt::format("  {}\n", example);
  return text;
}

// The option that stands nearest to one that does not exist.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const auto& argument : arguments) {
    const std::string word = argument.substr(0, argument.find('='));
    if (!word.starts_with("--") || std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string near = nearest(word, known);
    if (!near.empty()) return fmt::format("\n  did you mean '{}'?", near);
  }
  return "";
}

ExitCode run_command(const Command& command, const std::vector<std::string>& arguments) {
  CLI::App app(command.summary, std::string("rig ") + command.name);
  app.get_formatter()->column_width(26);
  const cli::Action action = command.define(app);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    cli::print(help_text(command, app));
    return ExitCode::Done;
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{}: {}{}\n  `rig help {}` says what it takes", command.name, error.what(),
                                 suggestion(app, arguments), command.name));
  }
  return action();
}

ExitCode help(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    cli::print(overview());
    return ExitCode::Done;
  }
  const Command* command = find(arguments.front());
  if (command == nullptr) throw unknown_command(arguments.front());
  return run_command(*command, {"--help"});
}

ExitCode dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw InputError("say what to do\n\n" + overview());
  const std::string& word = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (word == "help" || word == "--help" || word == "-h") return help(rest);
  if (word == "version" || word == "--version") {
    cli::print("rig " RIG_VERSION "\n");
    return ExitCode::Done;
  }
  const Command* command = find(word);
  if (command == nullptr) throw unknown_command(word);
  return run_command(*command, rest);
}

}  // namespace

int main_command(const std::vector<std::string>& arguments) {
  try {
    return static_cast<int>(dispatch(arguments));
  } catch (const InputError& error) {
    // faults begin with their place, as editors and compilers have it
    cli::complain(error.faults().empty() ? std::string("rig: ") + error.what() : error.what());
    return static_cast<int>(error.code());
  } catch (const Error& error) {
    cli::complain(std::string("rig: ") + error.what());
    return static_cast<int>(error.code());
  } catch (const std::system_error& error) {  // of files and threads: what the host refused
    cli::complain(std::string("rig: ") + error.what());
  } catch (const std::bad_alloc&) {
    cli::complain("rig: this host has no memory left for it");
  } catch (const std::exception& error) {
    cli::complain(std::string("rig: a fault of rig's own, please report it: ") + error.what());
  } catch (...) {
    cli::complain("rig: a fault of rig's own, please report it");
  }
  return static_cast<int>(ExitCode::CellsFailed);
}

bool starts_work(const std::vector<std::string>& arguments) {
  static const std::set<std::string> starting = {"run", "build", "doctor"};
  if (arguments.empty() || !starting.contains(arguments.front())) return false;
  return std::none_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--dry-run" || argument == "--help" || argument == "-h";
  });
}

}  // namespace rig
