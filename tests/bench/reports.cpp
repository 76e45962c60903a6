// SPDX-License-Identifier: GPL-2.0-or-later
// What reports on a million samples cost: `rig report` as a whole, by format and by the record's form. Prints;
// judges nothing.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <random>

#include "rig/base/base.h"
#include "rig/record/record.h"

using namespace rig;
namespace fs = std::filesystem;

extern char** environ;

namespace {

struct Form {
  const char* what;
  int cells, boots, samples;  // samples an attempt
};

// The noise of a measured rate: 2 % and a drift.
RunRecord head_of(const Form& form) {
  RunRecord record;
  record.name = "a-million";
  record.plan_hash = "0123abcd";
  record.accelerator = "kvm";
  record.accelerator_meaning = "measured on this host's hardware";
  record.baseline = "kernel-0";
  record.started = "2026-12-01T00:00:00Z";
  record.rig_version = "0.1.0";
  record.boots = form.boots;
  const int kernels = 10;
  for (int i = 0; i < kernels; ++i)
    record.kernels.push_back({fmt::format("kernel-{}", i), "", "linux", "6.1", "gcc 12", "key"});
  record.topologies = {{"q6600", "Q6600", "", {}, {}}};
  record.metrics = {{"tcp-rr", "rate", "trans/s", "", true, true}};
  for (int i = 1; i < form.samples; ++i)
    record.metrics.push_back({"tcp-rr", fmt::format("counter-{}", i), "", "", true, false});
  for (int i = 0; i < form.cells; ++i)
    record.cells.push_back({fmt::format("{:012x}", i),
                            fmt::format("kernel-{}", i % kernels),
                            "q6600",
                            "tcp-rr",
                            {{"clients", std::to_string(1 + i / kernels)}},
                            ""});
  return record;
}

void fill(const Form& form, const fs::path& run) {
  RunRecord head = head_of(form);
  RunStore store = RunStore::create(run, head);
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  int done = 0;
  for (int boot = 0; boot < form.boots; ++boot) {
    for (const auto& cell : head.cells) {
      AttemptRecord attempt;
      attempt.cell = cell.id;
      attempt.repetition = boot;
      attempt.started = "2026-12-01T00:00:00Z";
      attempt.stages_ms = {{"plan", 10}, {"create", 280}, {"boot", 1660}, {"job", 4000}, {"teardown", 210}};
      attempt.samples.push_back({"rate", "trans/s", 70000 * (1 + noise(random) + 1e-6 * done++), 0});
      for (int i = 1; i < form.samples; ++i)
        attempt.samples.push_back({fmt::format("counter-{}", i), "", 1e6 * (1 + noise(random)), 0});
      store.add(attempt);
    }
  }
}

struct Cost {
  double seconds = 0, cpu = 0, megabytes = 0;
  int exit_code = 0;
};

Cost cost_of(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const auto& one : arguments) argv.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0)
    throw std::runtime_error("cannot start rig");
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128};
}

}  // namespace

int main() {
  const Form forms[] = {{"200 cells, 100 boots, 50 samples each", 200, 100, 50},
                        {"1,000 cells, 100 boots, 10 samples each", 1000, 100, 10},
                        {"20 cells, 50 boots, 1,000 samples each", 20, 50, 1000}};
  // in memory: to write so many attempts one by one, each safe on disk, is another matter
  const fs::path memory = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  for (const auto& form : forms) {
    const TempDir scratch(memory, "rig-bench");
    fill(form, scratch.path());
    fmt::print("{}\n  format  seconds      CPU       MB\n", form.what);
    for (const char* format : {"text", "csv", "json", "md", "junit", "ktap", "html"}) {
      const Cost cost = cost_of({std::string(RIG_BUILD_DIR) + "/rig", "report", scratch.path().string(), "--format",
                                 format, "-o", (scratch.path() / "report").string()});
      fmt::print("  {:<6} {:>8.2f} {:>8.2f} {:>8.0f}{}\n", format, cost.seconds, cost.cpu, cost.megabytes,
                 cost.exit_code == 0 ? "" : fmt::format("  ended with {}", cost.exit_code));
      std::fflush(stdout);
    }
  }
}
