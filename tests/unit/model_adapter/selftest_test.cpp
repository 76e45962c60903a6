// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/selftest.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <utility>
#include <vector>

#include "spec.h"

using namespace rig::model;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Case {
  std::size_t line;
  const char* value;
};

using Lines = std::vector<std::pair<std::string, std::string>>;

// What the machine of spec.h must show, by hand: a cycle an instruction, two or three instructions a
// step; half of 13 - 3 cycles in level 2, 153 - 3 in memory, 43 - 3 and 203 - 3 between caches.
Lines good_lines() {
  return {{"empty", "cycles=2.000"},
          {"locked", "cycles=23.001"},
          {"level1", "cycles=3.004"},
          {"level2", "cycles=8.01"},
          {"memory", "cycles=153.4"},
          {"from-0-to-1", "cycles=43.0"},
          {"from-0-to-2", "cycles=203.1"},
          {"clock sleep", "cycles=10100020 ns=5050003"},
          {"clock begin", "cycles=40000 ns=600"},
          {"clock region", "cycles=300000000 ns=150000000"},
          {"clock end", "cycles=88447 ns=37086"},
          {"device-read", "cycles=3.05"},       // still in level 1
          {"device-written", "cycles=153.2"}};  // in memory
}

std::string console(const Lines& lines, const std::string& last = "rig-selftest done\r\n") {
  std::string text = "\r\n[    0.1] some word of the kernel\r\n";
  for (const auto& [name, value] : lines) text += "rig-selftest " + name + " " + value + "\r\n";
  return text + last + "reboot: Power down\r\n";
}

ModelReport report() {
  ModelReport r;
  r.regions.resize(1);
  r.regions[0].cpus.resize(4);
  for (auto& cpu : r.regions[0].cpus)
    cpu.values = {{"elapsed", 100}, {"idle", 40}, {"compute.cycles", 50}, {"served.memory.cycles", 10}, {"loads", 7}};
  return r;
}

SelftestVerdict judged(const Lines& lines) { return judge_selftest(test::spec(), console(lines), report()); }

}  // namespace

TEST_CASE("a sleep may take as long as ticks make it where the kernel has no finer timers") {
  auto lines = good_lines();
  lines[7] = {"clock sleep", "cycles=15332042 ns=7666021"};  // measured on Linux 2.6.22, 250 ticks a second
  CHECK_FALSE(judged(lines).good());
  lines.emplace_back("clock resolution", "ns=4000250");
  CHECK(judged(lines).good());
  lines[7] = {"clock sleep", "cycles=27000000 ns=13500000"};
  CHECK_FALSE(judged(lines).good());
  lines[7] = {"clock sleep", "cycles=15332042 ns=7666021"};
  lines.back().second = "ns=1";
  CHECK_FALSE(judged(lines).good());
}

TEST_CASE("the self-test walks in each cache and asks a CPU at each distance") {
  const auto arguments = selftest_arguments(test::spec());
  // half of 32 KiB; twice that level; twice 4 MiB; CPU 1 behind the same level 2, CPU 2 behind the other
  CHECK(arguments == std::vector<std::string>{"16384", "65536", "8388608", "1", "2"});
}

TEST_CASE("with two packages the self-test asks a CPU of the other, too") {
  MachineSpec spec = test::spec();
  spec.cpus = 8;
  spec.node_of_cpu.resize(8);
  spec.other_package = {.transfer = 303, .upgrade = 100};
  const auto arguments = selftest_arguments(spec);
  CHECK(std::vector<std::string>(arguments.begin() + 3, arguments.end()) == std::vector<std::string>{"1", "2", "4"});
}

TEST_CASE("a guest whose time follows the model passes") {
  const auto verdict = judged(good_lines());
  CHECK(verdict.fault.empty());
  CHECK(verdict.checks.size() == 7 + 2 + 7 + 4);
  for (const auto& check : verdict.checks) {
    INFO(check.what << ": " << check.measured << ", expected " << check.expected << " ± " << check.tolerance);
    CHECK(check.good());
  }
  CHECK(verdict.good());
}

TEST_CASE("a kernel without page maps cannot be asked about devices, and passes without") {
  auto lines = good_lines();
  lines.resize(11);
  CHECK_FALSE(judged(lines).good());
  lines.emplace_back("no-page-map", "cycles=0");
  CHECK(judged(lines).good());
  lines.back().first = "no-device";
  CHECK_FALSE(judged(lines).good());
}

TEST_CASE("each measurement that does not follow the model fails the self-test") {
  const Case c = GENERATE(values<Case>({
      {0, "cycles=1.0"},  // a clock in nanoseconds
      {1, "cycles=3.0"},  // locked operations for nothing
      {2, "cycles=8.0"},  // every load misses
      {3, "cycles=3.0"},  // no cache at all
      {4, "cycles=140"},
      {5, "cycles=203"},  // the wrong pair
      {6, "cycles=43"},
      {7, "cycles=10100020 ns=4999999"},  // woken too early
      {7, "cycles=5050003 ns=5050003"},   // rdtsc in nanoseconds
      {8, "cycles=-1 ns=600"},            // back in time
      {9, "cycles=290000000 ns=150000000"},
      {10, "cycles=88447 ns=-5"},
      {11, "cycles=153.2"},  // a device that reads takes the line away
      {12, "cycles=3.05"},   // what a device writes is not seen
  }));
  Lines lines = good_lines();
  lines[c.line].second = c.value;
  const auto verdict = judged(lines);
  CHECK(verdict.fault.empty());
  INFO(lines[c.line].first << " " << c.value);
  CHECK_FALSE(verdict.good());
}

TEST_CASE("a self-test that did not come to its end says so") {
  Lines lines = good_lines();
  CHECK_THAT(judge_selftest(test::spec(), console(lines, ""), report()).fault, ContainsSubstring("come to its end"));
  CHECK_THAT(judge_selftest(test::spec(), console(lines, "rig-selftest fault fork: no memory\n"), report()).fault,
             ContainsSubstring("fork: no memory"));
  lines.erase(lines.begin() + 5);
  CHECK_THAT(judged(lines).fault, ContainsSubstring("did not measure from-0-to-1"));
  CHECK_FALSE(judged(lines).good());
}

TEST_CASE("a report whose cycles do not add up fails the self-test") {
  ModelReport r = report();
  r.regions[0].cpus[3].values[1].second = 41;
  CHECK_FALSE(judge_selftest(test::spec(), console(good_lines()), r).good());
  r = report();
  r.regions[0].cut = true;
  CHECK_THAT(judge_selftest(test::spec(), console(good_lines()), r).fault, ContainsSubstring("one whole region"));
}
