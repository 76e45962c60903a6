// SPDX-License-Identifier: GPL-2.0-or-later
// rig check, plan, list, show: nothing is started, nothing is written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/made_machines.h"
#include "rig/cli/on_host.h"
#include "rig/config/json_schema.h"

namespace rig::cli {
namespace {

constexpr DefinitionKind all_kinds[] = {DefinitionKind::Kernel,   DefinitionKind::Toolchain, DefinitionKind::Topology,
                                        DefinitionKind::Image,    DefinitionKind::Job,       DefinitionKind::Matrix,
                                        DefinitionKind::Reference};

std::string title_of(const Definition& definition) {
  try {
    switch (definition.kind) {
      case DefinitionKind::Kernel:
        return load_kernel(definition.file).title;
      case DefinitionKind::Toolchain:
        return load_toolchain(definition.file).title;
      case DefinitionKind::Topology:
        return load_topology(definition.file).title;
      case DefinitionKind::Job:
        return load_job(definition.file).title;
      case DefinitionKind::Image:
        return fmt::format("{} packages of {}", load_image(definition.file).packages.size(),
                           load_image(definition.file).suite);
      case DefinitionKind::Reference:
        return load_reference(definition.file).title;
      case DefinitionKind::Matrix:
        return "";
    }
  } catch (const InputError&) {
    return fmt::format("(has faults: rig check {})", definition.file.string());
  }
  return "";
}

std::string plural(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::Topology:
      return "topologies";
    case DefinitionKind::Matrix:
      return "matrices";
    default:
      return to_string(kind) + "s";
  }
}

std::string listing(const DefinitionStore& store, DefinitionKind kind, const std::string& indent) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& definition : store.list(kind)) {
    rows.emplace_back(definition.name,
                      kind == DefinitionKind::Matrix ? definition.file.string() : title_of(definition));
  }
  if (kind == DefinitionKind::Topology) {
    for (const auto& [topology, matrix] : ready_what_ifs(store)) {
      rows.emplace_back(family_of(topology.name),
                        fmt::format("what-if of {}, made by {}", topology.base, matrix.string()));
    }
  }
  std::size_t width = 0;
  for (const auto& [name, title] : rows) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, title] : rows) text += fmt::format("{}{:<{}}  {}\n", indent, name, width, title);
  return text;
}

}  // namespace

Action define_check(CLI::App& app) {
  auto files = std::make_shared<std::vector<std::string>>();
  app.add_option("FILE", *files, "definition files of any kind")->required();
  return [files] {
    std::vector<Diagnostic> faults;
    for (const auto& file : *files) {
      const auto found = check(file, store_beside(file));
      if (found.empty()) print(fmt::format("{}: {}, no faults\n", file, to_string(kind_of(file))));
      for (const auto& fault : found) {
        // two matrices may name the same faulty definition
        const bool known = std::any_of(faults.begin(), faults.end(), [&](const Diagnostic& other) {
          return other.pos == fault.pos && other.path == fault.path && other.message == fault.message;
        });
        if (!known) faults.push_back(fault);
      }
    }
    if (faults.empty()) return ExitCode::Done;
    throw InputError(std::move(faults));
  };
}

Action define_plan(CLI::App& app) {
  struct Arguments {
    std::string matrix, only;
    std::uint64_t seed = 1;
    bool json = false;
    OnHost on_host;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("MATRIX", arguments->matrix, "the matrix file")->required();
  app.add_option("--only", arguments->only, "a part of it: key=value[|value…],…");
  app.add_option("--seed", arguments->seed, "of the order (1)");
  app.add_flag("--json", arguments->json, "as JSON");
  add_host_options(app, arguments->on_host);
  return [arguments] {
    const MatrixSpec matrix = load_matrix(arguments->matrix, store_beside(arguments->matrix));
    const CellFilter only = arguments->only.empty() ? CellFilter{} : CellFilter::parse(arguments->only);
    const Plan plan = make_plan(matrix, arguments->seed, only);
    const OnHost& on = arguments->on_host;
    if (on.host.empty()) {
      if (on.strict) throw InputError("--strict: it needs a host: --host live, for one");
      print(arguments->json ? plan_json(plan) : plan_text(plan));
      return ExitCode::Done;
    }
    const Host host = survey(on.host);
    print(arguments->json ? plan_json_on(plan, host, on.strict)
                          : plan_text(plan) + mappings_text(plan, host, on.strict));
    return ExitCode::Done;
  };
}

Action define_list(CLI::App& app) {
  auto word = std::make_shared<std::string>();
  app.add_option("KIND", *word, "kernels, toolchains, topologies, images, jobs, matrices or references (all)");
  return [word] {
    const DefinitionStore store = store_at(".");
    if (!word->empty()) {
      print(listing(store, parse_kind(*word), ""));
      return ExitCode::Done;
    }
    for (const DefinitionKind kind : all_kinds) print(plural(kind) + "\n" + listing(store, kind, "  "));
    return ExitCode::Done;
  };
}

Action define_schema(CLI::App& app) {
  auto word = std::make_shared<std::string>();
  app.add_option("KIND", *word, "matrix, kernel, toolchain, topology, image, job or reference")->required();
  return [word] {
    print(json_schema(parse_kind(*word)));
    return ExitCode::Done;
  };
}

Action define_show(CLI::App& app) {
  struct Arguments {
    std::string kind, name, matrix, svg;
    OnHost on_host;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("KIND", arguments->kind, "kernel, toolchain, topology, image, job, matrix or reference")->required();
  app.add_option("NAME", arguments->name, "its name, or its file")->required();
  app.add_option("--matrix", arguments->matrix, "of a machine that this matrix makes: a what-if, a point of its sweep");
  add_host_options(app, arguments->on_host);
  app.add_option("--svg", arguments->svg, "of a topology: the picture, with --host also the host, into this file");
  return [arguments] {
    const DefinitionStore store = store_at(".");
    const DefinitionKind kind = parse_kind(arguments->kind);
    if (kind != DefinitionKind::Topology &&
        (!arguments->on_host.host.empty() || arguments->on_host.strict || !arguments->svg.empty())) {
      throw InputError("--host, --strict and --svg: only topologies are mapped and drawn");
    }
    if (!arguments->matrix.empty() && kind != DefinitionKind::Topology) {
      throw InputError("--matrix: only machines are made by a matrix");
    }
    const auto file =
        kind == DefinitionKind::Topology ? std::filesystem::path() : definition_file(store, kind, arguments->name);
    switch (kind) {
      case DefinitionKind::Kernel:
        print(show(load_kernel(file)));
        break;
      case DefinitionKind::Toolchain:
        print(show(load_toolchain(file)));
        break;
      case DefinitionKind::Topology:
        print(topology_on(arguments->matrix.empty() ? find_machine(store, arguments->name)
                                                    : machine_of(arguments->matrix, arguments->name),
                          arguments->on_host, arguments->svg));
        break;
      case DefinitionKind::Image:
        print(show(load_image(file)));
        break;
      case DefinitionKind::Job:
        print(show(load_job(file, store.rules())));
        break;
      case DefinitionKind::Reference:
        print(show(load_reference(file)));
        break;
      case DefinitionKind::Matrix:
        print(plan_text(make_plan(load_matrix(file, store_beside(file)), 1)));
        break;
    }
    return ExitCode::Done;
  };
}

}  // namespace rig::cli
