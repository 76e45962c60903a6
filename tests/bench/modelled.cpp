// SPDX-License-Identifier: GPL-2.0-or-later
// What the modelled mode costs the host beside plain emulation, on the same instructions: a further round
// trip of a ping-pong on one CPU under each, from runs that differ in how many there are. CPU time of rig
// and QEMU, so that boot and set-up fall out. Prints; judges nothing.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "rig/base/base.h"
#include "rig/record/record.h"

using namespace rig;
namespace fs = std::filesystem;

namespace {

constexpr int rounds = 3;

double cpu_seconds_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Cost {
  double cpu_seconds = 0, instructions = 0;  // instructions: as the model counts them, 0 under tcg
};

Cost cost_of(const std::string& accelerator, const std::string& count, const fs::path& out) {
  const double before = cpu_seconds_of_children();
  run_checked({.argv = {std::string(RIG_BUILD_DIR) + "/rig", "run", "tests/bench/definitions/round-trips.yaml",
                        "--accel", accelerator, "--only", "count=" + count, "--out", out.string()},
               .directory = RIG_SOURCE_DIR});
  Cost cost{.cpu_seconds = cpu_seconds_of_children() - before};
  const auto record = load_record(fs::directory_iterator(out)->path());
  for (const auto& sample : record.attempts.at(0).samples) {
    if (sample.metric == "model.instructions" && sample.instance == 0) cost.instructions = sample.value;
  }
  return cost;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  const TempDir runs(cache_directory(), "bench");
  fs::permissions(runs.path(), fs::perms(0755));
  std::vector<double> speeds, ratios;
  for (int round = 0; round < rounds; ++round) {
    const auto further = [&](const std::string& accelerator) {
      const fs::path out = runs.path() / fmt::format("{}-{}", accelerator, round);
      const Cost few = cost_of(accelerator, "4000", out / "few"), many = cost_of(accelerator, "24000", out / "many");
      return Cost{many.cpu_seconds - few.cpu_seconds, many.instructions - few.instructions};
    };
    const Cost plain = further("tcg"), modelled = further("model");
    speeds.push_back(modelled.instructions / modelled.cpu_seconds / 1e6);
    ratios.push_back(modelled.cpu_seconds / plain.cpu_seconds);
    fmt::print("20,000 round trips of {:.0f} instructions: {:.2f} s of CPU plain, {:.2f} s modelled\n",
               modelled.instructions / 20000, plain.cpu_seconds, modelled.cpu_seconds);
  }
  fmt::print(
      "modelled: {:.1f} million instructions a second of CPU, {:.2f} times the CPU time of plain (medians of {})\n",
      median(speeds), median(ratios), rounds);
}
