// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernels of real guests counted round a step, out of tests/fixtures/wire: "== FRAME" begins one, and
// STEP in its name stands for the step's.
#pragma once
#include <fstream>
#include <stdexcept>
#include <string>

#include "rig/vm/vm.h"

namespace rig::test {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' in the fixture");
  return text.replace(at, from.size(), to);
}

inline ResultStream wire_frames(const std::string& name, const std::string& step) {
  std::ifstream file(std::string(RIG_SOURCE_DIR) + "/tests/fixtures/wire/" + name + ".frames");
  if (!file) throw std::logic_error("no fixture " + name);
  ResultStream stream;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== "))
      stream.frames.push_back({replaced(line.substr(3), "STEP", step), ""});
    else
      stream.frames.back().payload += line + "\n";
  }
  stream.complete = true;
  return stream;
}

inline std::string& frame(ResultStream& stream, const std::string& name) {
  for (auto& one : stream.frames) {
    if (one.name == name) return one.payload;
  }
  throw std::logic_error("no frame " + name);
}

}  // namespace rig::test
