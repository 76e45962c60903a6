// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/proof.h"

#include <algorithm>
#include <set>

#include "rig/base/base.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t key_digits = 12;

fs::path folder_of(const fs::path& artifact) { return artifact / "proofs"; }

// ACCELERATOR.MACHINE.KEY
fs::path file_of(const fs::path& artifact, const ProofOf& of) {
  std::string name = of.machine.name;
  std::replace(name.begin(), name.end(), '/', '_');
  KeyHasher key;
  key.field("machine", machine_key(of.machine)).field("accelerator", to_string(of.accelerator));
  key.field("cmdline", of.cmdline).field("qemu", of.qemu);
  return folder_of(artifact) / (to_string(of.accelerator) + "." + name + "." + key.hex().substr(0, key_digits));
}

}  // namespace

void keep_proof(const fs::path& artifact, const ProofOf& of, const std::string& view) {
  if (artifact.empty()) return;
  try {
    const fs::path file = file_of(artifact, of);
    if (fs::exists(file)) return;
    make_directories(file.parent_path());
    write_file(file, view);
  } catch (const std::exception&) {  // see the header
  }
}

bool has_proof(const fs::path& artifact, const ProofOf& of) {
  std::error_code none;
  return !artifact.empty() && fs::exists(file_of(artifact, of), none);
}

void drop_proof(const fs::path& artifact, const ProofOf& of) {
  if (artifact.empty()) return;
  std::error_code none;
  fs::remove(file_of(artifact, of), none);
}

std::vector<std::string> proved_on(const fs::path& artifact) {
  std::map<std::string, std::set<std::string>> machines;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_of(artifact), none)) {
    const std::string file = entry.path().filename().string();
    const auto dot = file.find('.'), last = file.rfind('.');
    if (dot == last || file.size() - last - 1 != key_digits) continue;  // of an earlier form
    machines[file.substr(dot + 1, last - dot - 1)].insert(file.substr(0, dot));
  }
  std::vector<std::string> told;
  for (const auto& [machine, accelerators] : machines) {
    std::string words;
    for (const auto& accelerator : accelerators) words += (words.empty() ? "" : ", ") + accelerator;
    told.push_back(machine + " (" + words + ")");
  }
  return told;
}

std::optional<std::string> ProofGate::refusal(const Cell& cell) const {
  const std::lock_guard lock(mutex_);
  const auto found = refused_.find({cell.kernel, cell.topology});
  return found == refused_.end() ? std::nullopt : std::optional(found->second);
}

void ProofGate::judged(const Cell& cell, const ViewVerdict& verdict) {
  if (!verdict.seen || verdict.fault.empty() || verdict.proved) return;
  const std::lock_guard lock(mutex_);
  refused_.try_emplace({cell.kernel, cell.topology},
                       "not booted: " + cell.kernel + " is not right on " + cell.topology + ": " + verdict.fault);
}

}  // namespace rig
