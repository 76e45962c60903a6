// SPDX-License-Identifier: GPL-2.0-or-later
// Cell ids of one matrix: each definition, and each file it names, is hashed once.
#pragma once
#include <map>
#include <string>

#include "rig/plan/plan.h"

namespace rig {

class CellKeys {
 public:
  explicit CellKeys(const MatrixSpec& matrix) : matrix_(matrix) {}
  std::string id(const Cell& cell);

 private:
  const MatrixSpec& matrix_;
  std::map<std::string, std::string> kernels_, topologies_, jobs_, peer_kernels_, peer_topologies_;  // name → digest
  std::map<std::string, std::string> images_;  // by the kernel's name
};

}  // namespace rig
