// SPDX-License-Identifier: GPL-2.0-or-later
// Records of simulated runs: cells of two kernels in randomised blocks, with noise as it was measured on busy hosts.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "rig/verdict/verdict.h"

namespace simulated {

// The same numbers for a seed on every platform.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : generator_(seed) {}
  double uniform() { return (static_cast<double>(generator_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979323846 * uniform()); }
  // Student's t with 3 degrees of freedom, of variance 1: heavy tails.
  double heavy() {
    const double z = normal();
    double chi = 0;
    for (int i = 0; i < 3; ++i) {
      const double one = normal();
      chi += one * one;
    }
    return z / std::sqrt(chi / 3) / std::sqrt(3.0);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(generator_() % bound); }

 private:
  std::mt19937_64 generator_;
};

inline rig::RunRecord head(const std::string& accelerator = "kvm") {
  rig::RunRecord record;
  record.name = "simulated";
  record.accelerator = accelerator;
  record.baseline = "plain";
  record.kernels = {{"plain", "", "", "6.1", "", ""}, {"patched", "", "", "6.1", "", ""}};
  record.topologies = {{"q6600", "Q6600", "", {}, {}}};
  record.metrics = {{"tbench", "throughput", "MB/s", "", true, true},
                    {"tbench", "lines", "lines/s", "", true, false},
                    {"tbench", "max_latency", "ms", "", false, false},
                    {"udp-pingpong", "mean", "us", "", false, true},
                    {"tcp-rr", "rate", "trans/s", "", true, true}};
  return record;
}

inline rig::CellRecord& add_cell(rig::RunRecord& record, const std::string& kernel, const std::string& job,
                                 std::map<std::string, std::string> parameters, const std::string& placement = "") {
  rig::CellRecord cell;
  cell.id = "cell" + std::to_string(record.cells.size());
  cell.kernel = kernel;
  cell.topology = "q6600";
  cell.job = job;
  cell.parameters = std::move(parameters);
  cell.placement = placement;
  record.cells.push_back(cell);
  return record.cells.back();
}

inline void add_value(rig::RunRecord& record, const std::string& cell, int repetition, const std::string& metric,
                      const std::string& unit, double value) {
  rig::AttemptRecord attempt;
  attempt.cell = cell;
  attempt.repetition = repetition;
  attempt.samples = {{metric, unit, value, 0}};
  record.attempts.push_back(attempt);
}

// A cell with these figures.
inline std::string add_figures(rig::RunRecord& record, const std::string& kernel, const std::string& job,
                               std::map<std::string, std::string> parameters, const std::string& placement,
                               const std::string& metric, const std::string& unit, const std::vector<double>& values) {
  const std::string id = add_cell(record, kernel, job, std::move(parameters), placement).id;
  for (std::size_t i = 0; i < values.size(); ++i) add_value(record, id, static_cast<int>(i), metric, unit, values[i]);
  return id;
}

// How every guest of a cell lay on the host; what each gave its figures under.
inline rig::FidelityRecord exact_on(std::vector<std::string> pins = {"2", "3", "8", "9"}) {
  rig::FidelityRecord guest;
  guest.machine = "q6600";
  guest.accelerator = "kvm";
  guest.mapping = "exact";
  guest.pins = std::move(pins);
  guest.emulator = "0-1";
  guest.controls = {{"governor", "performance"}};
  guest.seen = {{"steal", 0.0}, {"vcpus-waited", 0.1}};
  return guest;
}
inline void set_fidelity(rig::RunRecord& record, const std::string& kernel, const rig::FidelityRecord& guest) {
  for (const auto& cell : record.cells) {
    for (auto& attempt : record.attempts) {
      if (attempt.cell == cell.id && cell.kernel == kernel) attempt.fidelity = {guest};
    }
  }
}

struct Simulation {
  int comparisons = 10, boots = 5;
  double cv = 0.1;
  bool heavy = false;
  double drift = 0;   // of the mean, from the first block to the last
  double change = 0;  // of the candidate, as a share
};

// A matrix: in each block every comparison once, its two kernels in random order side by side; the host drifts from
// attempt to attempt. An attempt of heavy noise may come out at a tenth, never below.
inline rig::RunRecord run(const Simulation& setting, Noise& noise) {
  rig::RunRecord record = head();
  for (int i = 0; i < setting.comparisons; ++i) {
    for (const char* kernel : {"plain", "patched"})
      add_cell(record, kernel, "tcp-rr", {{"clients", std::to_string(i + 1)}});
  }
  const int all = setting.boots * setting.comparisons * 2;
  for (int repetition = 0; repetition < setting.boots; ++repetition) {
    for (int i = 0; i < setting.comparisons; ++i) {
      const std::size_t first = noise.below(2);
      for (const std::size_t side : {first, 1 - first}) {
        const double done = static_cast<double>(record.attempts.size()) / all;
        const double level = 1000 * (1 + setting.drift * done) * (side == 1 ? 1 + setting.change : 1);
        const double error = setting.heavy ? noise.heavy() : noise.normal();
        add_value(record, record.cells[static_cast<std::size_t>(i) * 2 + side].id, repetition, "rate", "trans/s",
                  level * std::max(0.1, 1 + setting.cv * error));
      }
    }
  }
  return record;
}

inline bool any_alarm(const rig::Verdicts& verdicts) {
  for (const auto& one : verdicts.baseline) {
    if (one.kind == rig::BaselineVerdict::Kind::Better || one.kind == rig::BaselineVerdict::Kind::Worse) return true;
  }
  return false;
}

}  // namespace simulated
