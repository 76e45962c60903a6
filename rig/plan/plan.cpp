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

// The same of definitions that peers are named by, which need not be compared themselves.
template <class Spec>
const Spec& named(const std::vector<Spec>& first, const std::vector<Spec>& otherwise, const std::string& name,
                  const char* kind) {
  const auto found = std::find_if(first.begin(), first.end(), [&](const Spec& spec) { return spec.name == name; });
  return found != first.end() ? *found : named(otherwise, name, kind);
}

std::string lacks(const Topology& topology, Relation relation) {
  std::vector<std::string> has;
  for (const Relation known : relations_of(topology)) has.push_back(to_string(known));
  return fmt::format("topology {} has no two CPUs that are {}; it has {}", topology.name, to_string(relation),
                     one_of(has));
}

// The other guest of a cell on this machine; nothing, with the reason, where its own lacks the placement.
std::optional<Peer> peer_of(const MatrixSpec& matrix, const MatrixJob& job, const Cell& cell, std::string& reason) {
  const std::string& machine = job.peer.topology.empty() ? cell.topology : job.peer.topology;
  const Topology& topology = named(matrix.peer_topologies, matrix.topologies, machine, "topology");
  Peer peer{job.peer, job.peer.kernel.empty() ? cell.kernel : job.peer.kernel, machine, 0, std::nullopt};
  if (!cell.placement) return peer;
  const auto cpus = find_pair(topology, *cell.placement);
  if (!cpus) {
    reason = "the peer's " + lacks(topology, *cell.placement);
    return std::nullopt;
  }
  peer.interrupt_cpu = cpus->first;
  const auto bind = cell.parameters.find("bind");
  if (bind == cell.parameters.end() || bind->second != "local") peer.process_cpu = cpus->second;
  return peer;
}

// Adds the cells of one job line: by topology, parameters, placement, and kernels side by side.
void expand(const MatrixSpec& matrix, const MatrixJob& job, Plan& plan) {
  const JobSpec& definition = named(matrix.definitions, job.job, "job");
  const auto parameters = combinations(definition, job);
  for (const auto& topology : matrix.topologies) {
    for (const auto& values : parameters) {
      for (const auto& placement : placements_of(job)) {
        const auto cpus = placement ? find_pair(topology, *placement) : std::nullopt;
        const std::string absent = placement && !cpus ? lacks(topology, *placement) : "";
        for (const auto& kernel : matrix.kernels) {
          Cell cell{"", kernel.name, topology.name, job.job, values, placement, cpus, {}, matrix.rounds};
          std::string reason = absent;
          if (definition.over_wire && reason.empty()) cell.peer = peer_of(matrix, job, cell, reason);
          if (!reason.empty() && !job.every_placement) throw InputError(reason);
          if (!reason.empty()) {
            plan.skipped.push_back({std::move(cell), reason});
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
  if (over_wire(matrix)) keys.emplace_back("peer");
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
  const auto drop_peers = [&](auto& specs, std::string Peer::* name) {
    std::erase_if(specs, [&](const auto& spec) {
      return std::none_of(plan.cells.begin(), plan.cells.end(),
                          [&](const Cell& cell) { return cell.peer && (*cell.peer).*name == spec.name; });
    });
  };
  drop_peers(plan.matrix.peer_kernels, &Peer::kernel);
  drop_peers(plan.matrix.peer_topologies, &Peer::topology);
}

// Likewise images that no kernel takes. Where that is not known yet, all may be taken.
void drop_unused_images(MatrixSpec& matrix) {
  std::vector<ImageSpec> taken;
  for (const auto& kernel : all_kernels(matrix)) {
    if (image_is_open(matrix, kernel)) return;
    const ImageSpec& image = choose_image(matrix, kernel.version);
    if (std::find(taken.begin(), taken.end(), image) == taken.end()) taken.push_back(image);
  }
  if (taken.empty()) return;
  const bool is_taken = std::find(taken.begin(), taken.end(), matrix.image) != taken.end();
  if (!is_taken) matrix.image = taken.front();
  std::erase_if(matrix.fallbacks, [&](const ImageSpec& image) {
    return image == matrix.image || std::find(taken.begin(), taken.end(), image) == taken.end();
  });
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

std::vector<KernelSpec> all_kernels(const MatrixSpec& matrix) {
  std::vector<KernelSpec> all = matrix.kernels;
  for (const auto& kernel : matrix.peer_kernels) {
    if (std::none_of(all.begin(), all.end(), [&](const KernelSpec& known) { return known.name == kernel.name; }))
      all.push_back(kernel);
  }
  return all;
}

bool over_wire(const MatrixSpec& matrix) {
  return std::any_of(matrix.definitions.begin(), matrix.definitions.end(),
                     [](const JobSpec& job) { return job.over_wire; });
}

std::string to_string(const PeerAsked& peer) {
  return (peer.kernel.empty() ? "same kernel" : peer.kernel) + (peer.topology.empty() ? "" : " on " + peer.topology);
}

std::string describe(const Cell& cell) {
  std::string text = cell.job;
  for (const auto& [name, value] : cell.parameters) text += fmt::format(" {}={}", name, value);
  if (cell.placement) text += " " + to_string(*cell.placement);
  text += fmt::format(" on {}, {}", cell.topology, cell.kernel);
  return cell.peer ? text + ", peer " + to_string(cell.peer->asked) : text;
}

std::string to_string(const Rounds& rounds) {
  std::string text = fmt::format("{} round{}", rounds.measured, rounds.measured == 1 ? "" : "s");
  if (rounds.warmup > 0) text += fmt::format(" after {} of warm-up", rounds.warmup);
  return text;
}

const ImageSpec& choose_image(const MatrixSpec& matrix, const std::optional<KernelVersion>& kernel) {
  if (!kernel || starts_on(matrix.image, *kernel)) return matrix.image;
  for (const auto& image : matrix.fallbacks) {
    if (starts_on(image, *kernel)) return image;
  }
  return matrix.image;
}

bool image_is_open(const MatrixSpec& matrix, const KernelSpec& kernel) {
  return !matrix.fallbacks.empty() && !kernel.version;
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
  drop_unused_images(plan.matrix);
  plan.order = interleave(plan.cells, matrix.boots, seed);
  plan.hash = plan_hash(plan);
  return plan;
}

std::int64_t expected_ms(const Plan& plan) {
  std::int64_t sum = 0;
  for (const auto& attempt : plan.order) {
    const Cell& cell = plan.cells.at(attempt.cell);
    sum += job_of(plan, cell).expected_ms * (cell.rounds.measured + cell.rounds.warmup);
  }
  return sum;
}

const KernelSpec& kernel_of(const Plan& plan, const Cell& cell) {
  return named(plan.matrix.kernels, cell.kernel, "kernel");
}
const Topology& topology_of(const Plan& plan, const Cell& cell) {
  return named(plan.matrix.topologies, cell.topology, "topology");
}
const KernelSpec& kernel_of(const Plan& plan, const Peer& peer) {
  return named(plan.matrix.peer_kernels, plan.matrix.kernels, peer.kernel, "kernel");
}
const Topology& topology_of(const Plan& plan, const Peer& peer) {
  return named(plan.matrix.peer_topologies, plan.matrix.topologies, peer.topology, "topology");
}
const JobSpec& job_of(const Plan& plan, const Cell& cell) { return named(plan.matrix.definitions, cell.job, "job"); }

}  // namespace rig
