// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rig/config/scalar.h"
#include "rig/config/splice.h"

namespace rig::config {
namespace {

constexpr std::size_t most_machines = 1000;

// One entry of `topologies:` with its place.
struct Entry {
  Machine machine;
  yaml::Mark mark;
  std::string where;
};

class MachineReader {
 public:
  MachineReader(const DefinitionStore& store, Faults& faults, std::vector<Diagnostic>& all)
      : store_(store), faults_(faults), all_(all) {
    for (const auto& definition : store.list(DefinitionKind::Topology)) files_.push_back(definition.name);
  }

  std::vector<Entry> read(const yaml::Node& matrix) {
    const auto items = items_at(&matrix, "topologies");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string where = join("topologies", i);
      if (items[i]->kind == yaml::Node::Kind::Scalar) read_name(*items[i], where);
      if (items[i]->kind == yaml::Node::Kind::Map) read_what_if(*items[i], where);
    }
    return std::move(entries_);
  }

 private:
  // Whether no entry before has this name.
  bool is_new(const yaml::Node& name, const std::string& where) {
    if (std::find(names_.begin(), names_.end(), name.text) != names_.end()) {
      faults_.add(name.mark, where, fmt::format("topology '{}' stands twice", name.text), "", "remove one of them");
      return false;
    }
    names_.push_back(name.text);
    return true;
  }

  // The definition, read once; null where it has faults.
  const Machine* definition(const yaml::Node& name, const std::string& where) {
    if (const auto known = definitions_.find(name.text); known != definitions_.end())
      return known->second ? &*known->second : nullptr;
    const auto found = find_definition(store_, DefinitionKind::Topology, name, where, faults_);
    if (!found) return nullptr;
    auto& slot = definitions_[name.text];
    Document document = open_definition(found->file, DefinitionKind::Topology, all_);
    if (auto topology = topology_of(document))
      slot = Machine{std::move(*topology), document.root, found->file.string()};
    return slot ? &*slot : nullptr;
  }

  void read_name(const yaml::Node& name, const std::string& where) {
    if (!is_new(name, where)) return;
    if (const Machine* machine = definition(name, where)) entries_.push_back({*machine, name.mark, where});
  }

  void read_what_if(const yaml::Node& entry, const std::string& where) {
    const yaml::Node *base = child(&entry, "base"), *name = child(&entry, "as"), *set = child(&entry, "set");
    for (const auto* node : {base, name}) {
      if (node == nullptr || node->kind != yaml::Node::Kind::Scalar) return;
    }
    const std::size_t before = faults_.count();
    if (std::find(files_.begin(), files_.end(), name->text) != files_.end()) {
      faults_.add(name->mark, where + ".as", fmt::format("'{}' is the name of a definition", name->text), "",
                  "a what-if needs a name of its own");
    } else {
      is_new(*name, where + ".as");
    }
    const auto changes = read_set(set, where + ".set");
    const Machine* machine = definition(*base, where + ".base");
    if (machine == nullptr || changes.empty() || faults_.count() != before) return;
    std::vector<std::string> shown;
    auto made = changed(*machine, changes, faults_.file(), all_, shown);
    if (!made) return;
    made->topology.name = name->text;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      // these two are of reports, not of the machine
      if (changes[i].path != "title" && changes[i].path != "notes")
        made->topology.settings.push_back({changes[i].path, shown[i]});
    }
    entries_.push_back({std::move(*made), entry.mark, where});
  }

  std::vector<Change> read_set(const yaml::Node* set, const std::string& where) {
    std::vector<Change> changes;
    if (set == nullptr || set->kind != yaml::Node::Kind::Map) return changes;
    if (set->members.empty()) {
      faults_.add(set->mark, where, "an empty map: the machine would be its base", "a path and its value",
                  "as {caches.l2.shared_by: 4}");
    }
    for (const auto& member : set->members) {
      const std::string here = join(where, member.key);
      if (member.key == "topology") {
        faults_.add(member.mark, here, "the name of a what-if is not set", "", "give it as `as:`");
      } else if (shape_at(topology_shape(), member.key, member.mark, here, faults_) != nullptr) {
        for (const auto& other : changes) check_apart(member, other, here);
        changes.push_back({member.key, member.value, here});
      }
    }
    return changes;
  }

  void check_apart(const yaml::Member& member, const Change& other, const std::string& here) {
    const std::string &a = member.key, &b = other.path;
    if (!a.starts_with(b + ".") && !b.starts_with(a + ".")) return;
    const auto& [inner, outer] = a.size() > b.size() ? std::pair(a, b) : std::pair(b, a);
    faults_.add(member.mark, here, fmt::format("{} is set as a whole, and {} is a part of it", outer, inner), "",
                "set all of it in one place");
  }

  const DefinitionStore& store_;
  Faults& faults_;
  std::vector<Diagnostic>& all_;
  std::vector<std::string> files_, names_;
  std::map<std::string, std::optional<Machine>> definitions_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<Topology> read_machines(const yaml::Node& matrix, const DefinitionStore& store, Faults& faults,
                                    std::vector<Diagnostic>& all) {
  const auto entries = MachineReader(store, faults, all).read(matrix);
  const std::size_t before = faults.count();
  const Sweep sweep = read_sweep(matrix, faults);
  const bool sound = faults.count() == before;
  if (const std::size_t points = most_points(sweep); points * entries.size() > most_machines) {
    faults.add(child(&matrix, "sweep")->mark, "sweep",
               fmt::format("{} points of each of {} machines", points, entries.size()),
               fmt::format("at most {} machines in all", most_machines), "leave values out, or make a list of maps");
    return {};
  }
  std::vector<Topology> machines;
  std::map<std::string, std::string> names;  // of machines, by what they are
  for (const auto& entry : entries) {
    const auto points =
        sweep.empty() || !sound ? std::vector<Machine>{entry.machine} : points_of(entry.machine, sweep, faults, all);
    for (const auto& point : points) {
      const auto [known, fresh] = names.try_emplace(machine_key(point.topology), point.topology.name);
      if (fresh) {
        machines.push_back(point.topology);
        continue;
      }
      faults.add(entry.mark, entry.where,
                 fmt::format("{} is the same machine as {}: their cells would be the same", point.topology.name,
                             known->second),
                 "", "leave one of them out");
      break;
    }
  }
  return machines;
}

}  // namespace rig::config
