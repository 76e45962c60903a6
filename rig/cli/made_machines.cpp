// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/made_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/base/base.h"
#include "rig/cli/command.h"

namespace rig::cli {

std::vector<MadeMachine> ready_what_ifs(const DefinitionStore& store) {
  std::vector<MadeMachine> made;
  for (const auto& matrix : store.list(DefinitionKind::Matrix)) {
    try {
      std::set<std::string> families;
      for (auto& topology : load_matrix(matrix.file, store).topologies) {
        const std::string family = family_of(topology.name);
        if (family != definition_of(topology) && families.insert(family).second)
          made.push_back({std::move(topology), matrix.file});
      }
    } catch (const InputError&) {
      // `rig check` says what is wrong with it
    }
  }
  return made;
}

Topology machine_of(const std::filesystem::path& matrix, const std::string& name) {
  std::vector<std::string> names;
  for (auto& topology : load_matrix(matrix, store_beside(matrix)).topologies) {
    if (topology.name == name) return topology;
    names.push_back(topology.name);
  }
  constexpr std::size_t most_shown = 20;
  const std::string near = nearest(name, names);
  std::string shown =
      one_of({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most_shown))});
  if (names.size() > most_shown) shown += fmt::format(", and {} more", names.size() - most_shown);
  throw InputError(fmt::format("{} has no machine '{}'\n  allowed: {}{}", matrix.string(), name, shown,
                               near.empty() ? "" : fmt::format("\n  did you mean '{}'?", near)));
}

Topology find_machine(const DefinitionStore& store, const std::string& name) {
  const auto known = store.list(DefinitionKind::Topology);
  const bool defined = std::any_of(known.begin(), known.end(), [&](const auto& d) { return d.name == name; });
  if (!defined) {
    for (const auto& made : ready_what_ifs(store)) {
      if (family_of(made.topology.name) == family_of(name)) return machine_of(made.matrix, name);
    }
  }
  return load_topology(definition_file(store, DefinitionKind::Topology, name));
}

}  // namespace rig::cli
