// SPDX-License-Identifier: GPL-2.0-or-later
// Several rounds in a boot. The outputs are those of tests/fixtures/benchmarks and the pinger's form; means of them
// were made by hand.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fixtures.h"

using namespace rig;
using namespace fixtures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

std::string pinged(int mean_ns, int max_ns, int min_ns = 80000) {
  return "rig-pinger 1 mode=udp-pingpong pairs=1 bytes=40 warmup=20 count=1000 seconds=0 client_cpu=any "
         "server_cpu=any\npair=0 n=1000 elapsed_ns=82940000 mean_ns=" +
         std::to_string(mean_ns) + " median_ns=82900 min_ns=" + std::to_string(min_ns) +
         " p99_ns=90000 max_ns=" + std::to_string(max_ns) +
         " rate_per_s=12056.9 lost=0 client_mask=f server_mask=f client_cpus=1 server_cpus=2\n"
         "hist pair=0 81920:1000\nsum pairs=1 rate_per_s=12056.9 mean_ns=" +
         std::to_string(mean_ns) + "\ndone\n";
}

StepOutput one(const std::string& step, const std::string& out) { return {step, 0, out, "", "exit 0 ms=9 cpus=3"}; }

Cell with_rounds(int measured, int warmup) {
  Cell out = cell({{"bytes", "40"}, {"count", "1000"}});
  out.rounds = {measured, warmup};
  return out;
}

}  // namespace

TEST_CASE("A boot of several rounds runs its measured step so often, those of warm-up first, and its server once") {
  Cell where = cell({{"clients", "2"}});
  where.rounds = {2, 1};
  const GuestScript script = make_script(tbench(), where, "", 0);
  std::vector<std::string> names;
  for (const auto& step : script.steps) names.push_back(step.name);
  CHECK(names == std::vector<std::string>{"server", "tbench.warmup-1", "tbench.round-1", "tbench.round-2"});
  CHECK(script.steps[1].argv == script.steps[3].argv);
  CHECK(script.steps[3].limit_ms == 69000);
  CHECK(make_script(tbench(), cell({{"clients", "2"}}), "", 0).steps[1].name == "tbench");
}

TEST_CASE(
    "The boot's figure is the mean of its rounds, of maxima the most, of minima the least; warm-up is kept apart") {
  const auto result = read_results(
      pinger("udp-pingpong"), with_rounds(3, 1),
      {one("pinger.warmup-1", pinged(99000, 900000)), one("pinger.round-1", pinged(80000, 100000, 79000)),
       one("pinger.round-2", pinged(84000, 300000, 78000)), one("pinger.round-3", pinged(85000, 200000, 77500))});
  REQUIRE(result.failure.empty());
  CHECK_THAT(value(result, "mean"), WithinRel(83.0, 1e-12));
  CHECK_THAT(value(result, "max"), WithinRel(300.0, 1e-12));
  CHECK_THAT(value(result, "min"), WithinRel(77.5, 1e-12));
  CHECK_THAT(value(result, "round.mean", 1), WithinRel(80.0, 1e-12));
  CHECK_THAT(value(result, "round.mean", 3), WithinRel(85.0, 1e-12));
  CHECK_THAT(value(result, "warmup.mean", 1), WithinRel(99.0, 1e-12));
  CHECK_FALSE(std::isfinite(value(result, "warmup.mean", 2)));
}

TEST_CASE("A round that failed or is missing fails the boot, and says which it was") {
  const auto spec = pinger("udp-pingpong");
  const auto good = one("pinger.round-1", pinged(80000, 100000));
  auto broken = one("pinger.round-2", pinged(80000, 100000));
  broken.status = "exit 1 ms=9 cpus=3";
  const auto failed = read_results(spec, with_rounds(2, 0), {good, broken});
  CHECK(is_clean_failure(failed));
  CHECK_THAT(failed.failure, ContainsSubstring("round 2 of 2: pinger ended with exit 1"));
  const auto missing = read_results(spec, with_rounds(2, 1), {good, one("pinger.round-2", pinged(80000, 100000))});
  CHECK_THAT(missing.failure, ContainsSubstring("round 1 of warm-up: the guest gave 0 of 1 outputs of step pinger"));
  // the output of a boot of one round is not taken for any of several
  CHECK(is_clean_failure(read_results(spec, with_rounds(2, 0), {one("pinger", pinged(80000, 100000))})));
}

TEST_CASE("A metric that some round did not give is not the boot's either") {
  Cell where = cell({{"clients", "1"}});
  where.rounds = {2, 0};
  auto first = output("tbench.round-1", "tbench-host-1.txt"), second = output("tbench.round-2", "tbench-host-1.txt");
  const auto both = read_results(tbench(), where, {first, second});
  INFO(both.failure);
  REQUIRE(has(both, "lines"));
  CHECK(value(both, "lines") == value(both, "round.lines", 2));
}
