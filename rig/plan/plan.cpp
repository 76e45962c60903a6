// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/base/error.h"
#include "rig/base/hash.h"
#include "rig/plan/cell_key.h"
#include "rig/plan/order.h"

namespace rig {
namespace {

// Beyond these a matrix is a mistake, and its plan would fill the memory.
constexpr std::size_t max_cells = 20'000, max_attempts = 1'000'000;

template <class Spec>
const Spec& named(const std::vector<Spec>& specs, const std::string& name, const char* kind) {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const Spec& spec) { return spec.name == name; });
  if (found == specs.end()) throw InputError(fmt::format("the matrix defines no {} '{}'", kind, name));
  return *found;
}

using Parameters = std::map<std::string, std::string>;

// Every combination of the values; those of the last parameter change fastest.
std::vector<Parameters> combinations(const JobSpec& definition, const MatrixJob& job) {
  std::vector<Parameters> all = {{}};
  for (const auto& parameter : definition.parameters) {
    const auto given = job.values.find(parameter.name);
    const auto values = given == job.values.end() ? std::vector<std::string>{parameter.default_value} : given->second;
    if (all.size() * values.size() > max_cells)
      throw InputError(fmt::format("job {} has more than {} combinations", job.job, max_cells));
    std::vector<Parameters> longer;
    for (const auto& before : all) {
      for (const auto& value : values) {
        longer.push_back(before);
        longer.back()[parameter.name] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::optional<Relation>> placements_of(const MatrixJob& job) {
  if (job.placements.empty()) return {std::nullopt};
  return {job.placements.begin(), job.placements.end()};
}

std::string lacks(const Topology& topology, Relation relation) {
  std::vector<std::string> has;
  for (const Relation known : relations_of(topology)) has.push_back(to_string(known));
  return fmt::format("topology {} has no two CPUs that are {}; it has {}", topology.name, to_string(relation),
                     one_of(has));
}

// Adds the cells of one job line: by topology, parameters, placement, and kernels side by side.
void expand(const MatrixSpec& matrix, const MatrixJob& job, Plan& plan) {
  const JobSpec& definition = named(matrix.definitions, job.job, "job");
  const auto parameters = combinations(definition, job);
  for (const auto& topology : matrix.topologies) {
    for (const auto& values : parameters) {
      for (const auto& placement : placements_of(job)) {
        const auto cpus = placement ? find_pair(topology, *placement) : std::nullopt;
        const bool absent = placement && !cpus;
        if (absent && !job.every_placement) throw InputError(lacks(topology, *placement));
        for (const auto& kernel : matrix.kernels) {
          Cell cell{"", kernel.name, topology.name, job.job, values, placement, cpus};
          if (absent) {
            plan.skipped.push_back({std::move(cell), lacks(topology, *placement)});
          } else {
            plan.cells.push_back(std::move(cell));
          }
          if (plan.cells.size() > max_cells)
            throw InputError(fmt::format("the matrix has more than {} cells", max_cells));
        }
      }
    }
  }
}

// What --only may name in this matrix.
std::vector<std::string> filter_keys(const MatrixSpec& matrix) {
  std::vector<std::string> keys = {"kernel", "topology", "job", "placement"};
  for (const auto& definition : matrix.definitions) {
    for (const auto& parameter : definition.parameters) {
      if (std::find(keys.begin(), keys.end(), parameter.name) == keys.end()) keys.push_back(parameter.name);
    }
  }
  for (const auto& topology : matrix.topologies) {
    for (const auto& setting : topology.swept) {
      if (std::find(keys.begin(), keys.end(), setting.path) == keys.end()) keys.push_back(setting.path);
    }
  }
  return keys;
}

void check_filter(const MatrixSpec& matrix, const CellFilter& only) {
  const auto keys = filter_keys(matrix);
  for (const auto& [key, values] : only.conditions) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::string near = nearest(key, keys);
    throw InputError(fmt::format("--only: this matrix has no '{}' to choose by\n  allowed: {}{}", key, one_of(keys),
                                 near.empty() ? "" : fmt::format("\n  did you mean '{}'?", near)));
  }
}

// Definitions that no cell is made of need not be built or shown.
void drop_unused(Plan& plan) {
  const auto drop = [&](auto& specs, std::string Cell::* name) {
    std::erase_if(specs, [&](const auto& spec) {
      return std::none_of(plan.cells.begin(), plan.cells.end(),
                          [&](const Cell& cell) { return cell.*name == spec.name; });
    });
  };
  drop(plan.matrix.kernels, &Cell::kernel);
  drop(plan.matrix.topologies, &Cell::topology);
  drop(plan.matrix.definitions, &Cell::job);
}

std::string plan_hash(const Plan& plan) {
  KeyHasher hasher;
  hasher.field("name", plan.matrix.name).field("baseline", plan.matrix.baseline);
  hasher.field("boots", std::to_string(plan.matrix.boots)).field("seed", std::to_string(plan.seed));
  if (const auto& until = plan.matrix.until)
    hasher.field("until", fmt::format("{} {} {} {}", until->ci, until->confidence, until->min, until->max));
  for (const auto& cell : plan.cells) hasher.field("cell", cell.id);
  for (const auto& attempt : plan.order) {
    hasher.field("attempt", fmt::format("{} {}", attempt.cell, attempt.repetition));
  }
  return hasher.hex().substr(0, 8);
}

}  // namespace

std::string to_string(Accelerator accelerator) {
  switch (accelerator) {
    case Accelerator::Kvm:
      return "kvm";
    case Accelerator::Model:
      return "model";
    case Accelerator::Tcg:
      return "tcg";
    case Accelerator::TcgMt:
      break;
  }
  return "tcg-mt";
}

std::string describe(const Cell& cell) {
  std::string text = cell.job;
  for (const auto& [name, value] : cell.parameters) text += fmt::format(" {}={}", name, value);
  if (cell.placement) text += " " + to_string(*cell.placement);
  return text + fmt::format(" on {}, {}", cell.topology, cell.kernel);
}

std::vector<Relation> relations_of(const Topology& topology) {
  std::vector<Relation> found;
  for (const Relation relation : all_relations) {
    if (find_pair(topology, relation)) found.push_back(relation);
  }
  return found;
}

Plan make_plan(const MatrixSpec& matrix, std::uint64_t seed, const CellFilter& only) {
  check_filter(matrix, only);
  Plan plan;
  plan.matrix = matrix;
  plan.seed = seed;
  for (const auto& job : matrix.jobs) expand(matrix, job, plan);
  if (plan.cells.empty()) throw InputError(fmt::format("matrix {} has no cell to run", matrix.name));
  std::map<std::string, const Topology*> machines;
  for (const auto& topology : matrix.topologies) machines[topology.name] = &topology;
  const auto rejected = [&](const Cell& cell) { return !only.accepts(cell, *machines.at(cell.topology)); };
  std::erase_if(plan.cells, rejected);
  std::erase_if(plan.skipped, [&](const SkippedCell& skipped) { return rejected(skipped.cell); });
  if (plan.cells.empty()) {
    throw InputError(fmt::format("--only leaves none of the cells of matrix {}: `rig plan` lists them", matrix.name));
  }
  if (plan.cells.size() * static_cast<std::size_t>(std::max(1, matrix.boots)) > max_attempts) {
    throw InputError(fmt::format("the matrix asks for more than {} boots", max_attempts));
  }
  CellKeys keys(plan.matrix);
  std::set<std::string> ids;
  for (auto& cell : plan.cells) {
    cell.id = keys.id(cell);
    if (!ids.insert(cell.id).second) throw InputError("the matrix holds this cell twice: " + describe(cell));
  }
  for (auto& skipped : plan.skipped) skipped.cell.id = keys.id(skipped.cell);
  drop_unused(plan);
  plan.order = interleave(plan.cells, matrix.boots, seed);
  plan.hash = plan_hash(plan);
  return plan;
}

std::int64_t expected_ms(const Plan& plan) {
  std::int64_t sum = 0;
  for (const auto& attempt : plan.order) sum += job_of(plan, plan.cells.at(attempt.cell)).expected_ms;
  return sum;
}

const KernelSpec& kernel_of(const Plan& plan, const Cell& cell) {
  return named(plan.matrix.kernels, cell.kernel, "kernel");
}
const Topology& topology_of(const Plan& plan, const Cell& cell) {
  return named(plan.matrix.topologies, cell.topology, "topology");
}
const JobSpec& job_of(const Plan& plan, const Cell& cell) { return named(plan.matrix.definitions, cell.job, "job"); }

}  // namespace rig
