// SPDX-License-Identifier: GPL-2.0-or-later
// The small lab with the shipped Q6600 in it, whose timing is known: 107 ns (85 to 130) from the other L2.
#pragma once
#include "tests/unit/config/folder.h"

namespace rig::test {

constexpr const char* made_head = "name: m\nkernels: [plain]\njobs: [{job: load}]\n";

inline Folder made_lab() {
  Folder lab = small_lab();
  for (const char* name : {"q6600", "dell-1950"}) {
    const std::string file = std::string("topologies/") + name + ".yaml";
    lab.add(file, read_file(std::filesystem::path(RIG_SOURCE_DIR) / file));
  }
  return lab;
}

// The machines of a matrix with these lines.
inline std::vector<Topology> machines(Folder& lab, const std::string& lines) {
  return load_matrix(lab.add("m.yaml", made_head + lines), lab.store()).topologies;
}

inline std::string faults_of(Folder& lab, const std::string& lines) {
  return lab.faults(lab.add("m.yaml", made_head + lines));
}

inline std::vector<std::string> names_of(const std::vector<Topology>& topologies) {
  std::vector<std::string> names;
  for (const auto& topology : topologies) names.push_back(topology.name);
  return names;
}

}  // namespace rig::test
