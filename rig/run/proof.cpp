// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/proof.h"

#include <algorithm>

#include "rig/base/base.h"
#include "rig/plan/plan.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t key_digits = 12;

fs::path folder_of(const fs::path& artifact) { return artifact / "proofs"; }

// What the machine is counts, and its name only for people. A name has no '@' but in a sweep's point.
fs::path file_of(const fs::path& artifact, const Topology& machine) {
  std::string name = machine.name;
  std::replace(name.begin(), name.end(), '/', '_');
  return folder_of(artifact) / (name + "." + sha256(machine_key(machine)).substr(0, key_digits));
}

}  // namespace

void keep_proof(const fs::path& artifact, const Topology& machine, const std::string& view) {
  if (artifact.empty()) return;
  try {
    const fs::path file = file_of(artifact, machine);
    if (fs::exists(file)) return;
    make_directories(file.parent_path());
    write_file(file, view);
  } catch (const std::exception&) {  // see the header
  }
}

void drop_proof(const fs::path& artifact, const Topology& machine) {
  if (artifact.empty()) return;
  std::error_code none;
  fs::remove(file_of(artifact, machine), none);
}

std::vector<std::string> proved_on(const fs::path& artifact) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_of(artifact), none)) {
    const std::string file = entry.path().filename().string();
    if (file.size() > key_digits + 1) names.push_back(file.substr(0, file.size() - key_digits - 1));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace rig
