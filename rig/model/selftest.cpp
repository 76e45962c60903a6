// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/selftest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>

namespace rig::model {
namespace {

constexpr std::string_view prefix = "rig-selftest ";
constexpr double sleep_ns = 5e6;  // as in rig/guest/selftest.c

std::uint64_t bytes_of(const MachineSpec& spec, std::size_t level) {
  return std::uint64_t{spec.levels[level].sets} * spec.levels[level].ways * spec.line;
}

// The nearest CPUs to CPU 0 beyond each level and each package: one for each distance.
std::vector<std::uint32_t> partners(const MachineSpec& spec) {
  std::vector<std::uint32_t> found;
  std::uint32_t inside = 1;
  for (const LevelSpec& level : spec.levels) {
    if (level.cpus > inside) found.push_back(inside);
    inside = std::max(inside, level.cpus);
  }
  for (const std::uint32_t next : {inside, spec.cpus_per_package}) {
    if (next < spec.cpus && std::find(found.begin(), found.end(), next) == found.end()) found.push_back(next);
  }
  // a thread of CPU 0's own core shares its level 1: nothing is transferred
  std::erase_if(found, [&](std::uint32_t cpu) { return cpu < spec.levels[0].cpus; });
  return found;
}

double instruction(const MachineSpec& spec, InstructionClass kind) {
  return (spec.millicycles[static_cast<std::size_t>(kind)] + spec.fetch_millicycles + spec.tlb_millicycles) / 1000.0;
}

// An access beyond level 1: what stalls is rounded to whole cycles, as in the machine.
double stall(const MachineSpec& spec, Cycles latency, std::uint32_t exposed) {
  return std::floor(static_cast<double>(latency - spec.levels[0].latency) * exposed / 100.0 + 0.5);
}

double transfer(const MachineSpec& spec, std::uint32_t cpu) {
  Cycles latency = cpu < spec.cpus_per_package ? spec.package.transfer : spec.other_package.transfer;
  for (std::size_t level = spec.levels.size(); level-- > 1;) {
    if (cpu < spec.levels[level].cpus) latency = spec.levels[level].transfer;
  }
  return stall(spec, latency, spec.exposed_transfer);
}

// name → value of the lines "NAME cycles=VALUE", and "clock NAME cycles=A ns=B" as NAME.cycles, NAME.ns.
std::map<std::string, double> measurements(std::string_view console, bool& done, std::string& fault) {
  std::map<std::string, double> values;
  while (!console.empty()) {
    const std::size_t newline = console.find('\n');
    std::string_view line = console.substr(0, newline);
    console = newline == console.npos ? std::string_view() : console.substr(newline + 1);
    const std::size_t at = line.find(prefix);
    if (at == line.npos) continue;
    line = line.substr(at + prefix.size());
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line == "done") done = true;
    if (line.substr(0, 6) == "fault ") fault = "the self-test's guest failed: " + std::string(line.substr(6));
    const bool clock = line.substr(0, 6) == "clock ";
    if (clock) line = line.substr(6);
    std::string name(line.substr(0, line.find(' ')));
    for (std::size_t space = line.find(' '); space != line.npos; space = line.find(' ')) {
      line = line.substr(space + 1);
      const std::size_t equals = line.find('=');
      if (equals == line.npos) break;
      double value = 0;
      const auto text = line.substr(equals + 1, line.find(' ') - equals - 1);
      if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) break;
      values[clock ? name + "." + std::string(line.substr(0, equals)) : name] = value;
    }
  }
  return values;
}

class Judge {
 public:
  Judge(const MachineSpec& spec, std::map<std::string, double> values) : spec_(spec), values_(std::move(values)) {}

  void expect(const std::string& name, const std::string& what, double expected, double tolerance) {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      if (verdict.fault.empty()) verdict.fault = "the self-test's guest did not measure " + name;
      return;
    }
    verdict.checks.push_back({what, found->second, expected, tolerance});
  }
  // The counter's reading itself is known to a cycle a round, and rounding to the step's.
  void expect_cycles(const std::string& name, const std::string& what, double expected) {
    expect(name, what + ", cycles", expected, 0.01 * expected + 0.1);
  }
  bool has(const std::string& name) const { return values_.contains(name); }
  double value(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? 0 : found->second;
  }
  SelftestVerdict verdict;

 private:
  const MachineSpec& spec_;
  std::map<std::string, double> values_;
};

void judge_work(Judge& judge, const MachineSpec& spec) {
  const double empty = instruction(spec, InstructionClass::Simple) + instruction(spec, InstructionClass::Branch);
  const double step = empty + instruction(spec, InstructionClass::Simple);
  judge.expect_cycles("empty", "a subtraction and a jump", empty);
  judge.expect_cycles("locked", "a locked increment in level 1, a subtraction and a jump",
                      step + static_cast<double>(spec.locked));
  judge.expect_cycles("level1", "a load in level 1, a subtraction and a jump", step);
  if (spec.levels.size() > 1) {
    judge.expect_cycles("level2", "the same in level 2", step + stall(spec, spec.levels[1].latency, spec.exposed_hit));
  }
  judge.expect_cycles("memory", "the same in memory",
                      step + stall(spec, spec.memory[spec.node_of_cpu[0]][spec.node_of_cpu[0]], spec.exposed_memory));
  for (const std::uint32_t cpu : partners(spec)) {
    judge.expect_cycles("from-0-to-" + std::to_string(cpu),
                        "the same in lines that CPU 0 has modified, on CPU " + std::to_string(cpu),
                        step + transfer(spec, cpu));
  }
}

// What a device does to memory. A kernel without page maps (before 2.6.25) cannot tell it where to look.
void judge_device(Judge& judge, const MachineSpec& spec) {
  if (judge.has("no-page-map")) return;
  const double step = instruction(spec, InstructionClass::Simple) * 2 + instruction(spec, InstructionClass::Branch);
  judge.expect_cycles("device-read", "a load in level 1 that a device has read too, a subtraction and a jump", step);
  const Cycles from = spec.dma_updates ? spec.levels[0].latency : spec.memory[spec.node_of_cpu[0]][0];
  judge.expect_cycles("device-written", "the same in lines that a device has written",
                      step + stall(spec, from, spec.exposed_memory));
}

void judge_clocks(Judge& judge, const MachineSpec& spec) {
  const double mhz = spec.mhz;
  // reading both clocks, and the kernel's correction of its own to the counter's rate
  const double reading = 20'000;
  // without high-resolution timers (before 2.6.24) a sleep is rounded up to ticks, and begins within one
  const double tick = judge.value("resolution.ns") > 100'000 ? judge.value("resolution.ns") : 0;
  judge.expect("sleep.ns", "a sleep of 5 ms, ns", sleep_ns + tick + 100'000, tick + 100'000);
  judge.expect("sleep.cycles", "the same by rdtsc, cycles", judge.value("sleep.ns") * mhz / 1000, reading * mhz / 1000);
  judge.expect("region.cycles", "the whole region by rdtsc against the clock, cycles",
               judge.value("region.ns") * mhz / 1000,
               judge.value("region.ns") * mhz / 1000 * 0.001 + reading * mhz / 1000);
  for (const std::string edge : {"begin", "end"}) {
    judge.expect(edge + ".ns", "time across the region's " + edge + ", ns", 500'000, 500'000);
    judge.expect(edge + ".cycles", "the same by rdtsc, cycles", 500 * mhz, 500 * mhz);
  }
}

void judge_report(Judge& judge, const ModelReport& report) {
  if (report.regions.size() != 1 || report.regions[0].cut) {
    judge.verdict.fault = "the plug-in's report has not one whole region";
    return;
  }
  const RegionReport& region = report.regions[0];
  for (std::size_t cpu = 0; cpu < region.cpus.size(); ++cpu) {
    double sum = 0;
    for (const auto& [name, value] : region.cpus[cpu].values) {
      const bool cycles = name.size() > 7 && name.compare(name.size() - 7, 7, ".cycles") == 0;
      if (cycles || name == "idle") sum += static_cast<double>(value);
    }
    judge.verdict.checks.push_back({"all cycles of CPU " + std::to_string(cpu) + " in the report", sum,
                                    static_cast<double>(region.cpus[cpu].value("elapsed").value_or(0)), 0});
  }
}

}  // namespace

std::vector<std::string> selftest_arguments(const MachineSpec& spec) {
  const std::uint64_t level1 = bytes_of(spec, 0), outermost = bytes_of(spec, spec.levels.size() - 1);
  // twice level 1 is beyond it for walks in order, and small in any level 2 whatever pages it gets
  const std::uint64_t level2 = spec.levels.size() > 1 ? 2 * level1 : level1 / 2;
  std::vector<std::string> arguments = {std::to_string(level1 / 2), std::to_string(level2),
                                        std::to_string(2 * outermost)};
  for (const std::uint32_t cpu : partners(spec)) arguments.push_back(std::to_string(cpu));
  return arguments;
}

bool SelftestVerdict::good() const {
  return fault.empty() && !checks.empty() &&
         std::all_of(checks.begin(), checks.end(), [](const SelftestCheck& check) { return check.good(); });
}

SelftestVerdict judge_selftest(const MachineSpec& spec, std::string_view console, const ModelReport& report) {
  bool done = false;
  std::string fault;
  auto values = measurements(console, done, fault);
  Judge judge(spec, std::move(values));
  judge.verdict.fault = fault;
  if (fault.empty() && !done) judge.verdict.fault = "the self-test's guest did not come to its end";
  if (!judge.verdict.fault.empty()) return judge.verdict;
  judge_work(judge, spec);
  judge_device(judge, spec);
  judge_clocks(judge, spec);
  judge_report(judge, report);
  return judge.verdict;
}

}  // namespace rig::model
