// SPDX-License-Identifier: GPL-2.0-or-later
// The errors that reach the user, each with the exit code it stands for.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "rig/base/diagnostic.h"
#include "rig/base/printable.h"

namespace rig {

enum class ExitCode : int {
  Done = 0,
  CheckFailed = 1,    // a --check did not hold
  BadInput = 2,       // the input is wrong; nothing was started
  HostLacks = 3,      // this host lacks something, named with its mend
  CellsFailed = 4,    // some cells failed; the rest are kept
  Interrupted = 130,  // resumable
};

// The base of all: a message for people, already complete ("what is wrong; what to do").
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(printable_lines(message)), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// What the user wrote is wrong. Carries every fault found, not the first.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::BadInput, message) {}
  explicit InputError(std::vector<Diagnostic> faults)
      : Error(ExitCode::BadInput, render(faults)), faults_(std::move(faults)) {}
  const std::vector<Diagnostic>& faults() const { return faults_; }

 private:
  std::vector<Diagnostic> faults_;
};

// This host lacks something. The message names it; mend says what brings it.
class HostLacks : public Error {
 public:
  HostLacks(const std::string& what, const std::string& mend)
      : Error(ExitCode::HostLacks, mend.empty() ? what : what + "\n  mend: " + mend) {}
};

// Something outside rig failed while working (a build, a download, QEMU, libvirt): worth a retry
// or a look at its log, and never a result.
class WorkError : public Error {
 public:
  explicit WorkError(const std::string& message) : Error(ExitCode::CellsFailed, message) {}
};

class InterruptedError : public Error {
 public:
  InterruptedError() : Error(ExitCode::Interrupted, "interrupted") {}
};

}  // namespace rig
