// SPDX-License-Identifier: GPL-2.0-or-later
// Orchestration: a plan's attempts in order, each from artifacts to a recorded outcome.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "rig/plan/plan.h"
#include "rig/record/record.h"

namespace rig {

// What the progress display is told; called from the running thread.
struct Progress {
  std::size_t done = 0, total = 0;  // attempts
  std::string now;                  // "tbench clients=2 on q6600, debian-6.1: booting"
  std::optional<std::chrono::seconds> remaining;
};
using ProgressSink = std::function<void(const Progress&)>;

struct RunOptions {
  std::optional<Accelerator> accelerator;       // absent: auto
  std::filesystem::path out = "runs";           // the run's directory is made below it
  std::optional<std::filesystem::path> resume;  // an earlier run's directory
  std::filesystem::path cache;
  std::optional<unsigned> parallel;                // guests side by side; absent: as the accelerator allows
  bool strict = false;                             // refuse where this host does not carry every machine exactly
  std::map<std::string, std::string> environment;  // further facts for the record
  ProgressSink progress;
  // Called once with the new run's directory, before its first attempt, to keep the definitions there.
  std::function<void(const std::filesystem::path&)> prepare;
};

struct RunResult {
  std::filesystem::path directory;
  RunRecord record;
  bool interrupted = false;
};

// Builds what the plan needs, boots every attempt and records it. Throws what the builders throw
// before the first boot; after it, failures are outcomes.
RunResult run_plan(const Plan& plan, const RunOptions& options, std::stop_token stop);

}  // namespace rig
