// SPDX-License-Identifier: GPL-2.0-or-later
// The machines of a matrix: definitions, what-ifs of them, and the points of its sweep.
#pragma once
#include <vector>

#include "rig/config/definition_file.h"

namespace rig::config {

// A machine, and the tree that it was read from.
struct Machine {
  Topology topology;
  yaml::NodePtr tree;
  std::string file;  // the definition's
};

// One value put into a machine's tree.
struct Change {
  std::string path;     // "caches.l2.size"
  yaml::NodePtr value;  // as written in the matrix
  std::string source;   // its path there: "topologies[1].set.caches.l2.size"
};

// The machine so changed by a matrix (file), read as any definition is: no key needs to be known twice. What is wrong
// with it is told at the values that bring it about, in the matrix. Its base is stated, and shown[i] is what change i
// comes to, for people; name, settings and swept are left to the caller.
std::optional<Machine> changed(const Machine& machine, const std::vector<Change>& changes, const std::string& file,
                               std::vector<Diagnostic>& all, std::vector<std::string>& shown);

// What stands at the path, for people ("150 ns"); empty where the machine's definition says nothing of it.
std::string shown_at(const Machine& machine, const std::string& path);

// One path of a sweep with what it takes: values, among them the word "range", that stands for several.
struct SweptPath {
  std::string path, source;
  yaml::Mark mark;
  const Shape* shape = nullptr;
  std::vector<Change> values;
};
// The maps of `sweep:`, the paths of each multiplied.
using Sweep = std::vector<std::vector<SweptPath>>;

// What of the matrix's `sweep:` is sound.
Sweep read_sweep(const yaml::Node& matrix, Faults& faults);

// Points on one machine, at the most.
std::size_t most_points(const Sweep& sweep);

// Every point on this machine, each once.
std::vector<Machine> points_of(const Machine& machine, const Sweep& sweep, Faults& faults,
                               std::vector<Diagnostic>& all);

// All of `topologies:`, swept. Faults of the matrix go to faults, those of definitions to all.
std::vector<Topology> read_machines(const yaml::Node& matrix, const DefinitionStore& store, Faults& faults,
                                    std::vector<Diagnostic>& all);

}  // namespace rig::config
