// SPDX-License-Identifier: GPL-2.0-or-later
// The form is that of rig/guest/PROTOCOL.md; the figures here are made up within it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fixtures.h"

using namespace rig;
using namespace fixtures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

const std::string udp =
    "rig-pinger 1 mode=udp-pingpong pairs=1 bytes=40 warmup=20 count=1000 seconds=0 client_cpu=0 server_cpu=1\n"
    "pair=0 n=1000 elapsed_ns=82940000 mean_ns=82940 median_ns=82900 min_ns=81000 p99_ns=90000 max_ns=120500 rate_per_s=12056.9 lost=0 client_mask=1 server_mask=2 client_cpus=1 server_cpus=2\n"
    "hist pair=0 81920:990 86016:8 118784:2\n"
    "sum pairs=1 rate_per_s=12056.9 mean_ns=82940\n"
    "done\n";

const std::string tcp =
    "rig-pinger 1 mode=tcp-rr pairs=2 bytes=1 warmup=20 count=1000 seconds=0 client_cpu=-1 server_cpu=-1\n"
    "pair=0 n=1000 elapsed_ns=13805000 mean_ns=13805 median_ns=13000 min_ns=9000 p99_ns=20000 max_ns=50000 rate_per_s=72436.65 lost=0 client_mask=f server_mask=f client_cpus=3 server_cpus=5\n"
    "pair=1 n=1000 elapsed_ns=13805000 mean_ns=13806 median_ns=13001 min_ns=8000 p99_ns=20001 max_ns=40000 rate_per_s=72438.55 lost=0 client_mask=f server_mask=f client_cpus=3 server_cpus=5\n"
    "sum pairs=2 rate_per_s=144875.2 mean_ns=13805.5\n"
    "done\n";

Cell bound(int client, int server) {
  Cell out = cell({{"bytes", "40"}, {"count", "1000"}});
  out.placement = Relation::SameL2;
  out.cpus = {client, server};
  return out;
}

JobResult read_udp(const std::string& text, const Cell& where = bound(0, 1)) { return read_results(pinger("udp-pingpong"), where, {{"pinger", 0, text, "", "exit 0 ms=9 cpus=3"}}); }
JobResult read_tcp(const std::string& text) { return read_results(pinger("tcp-rr"), cell({{"clients", "2"}}), {{"pinger", 0, text, "", "exit 0 ms=9 cpus=f"}}); }

}  // namespace

TEST_CASE("pinger: round trips come out in microseconds") {
  const auto result = read_udp(udp);
  CHECK(result.failure.empty());
  CHECK_THAT(value(result, "mean"), WithinRel(82.94, 1e-12));
  CHECK_THAT(value(result, "median"), WithinRel(82.9, 1e-12));
  CHECK_THAT(value(result, "min"), WithinRel(81.0, 1e-12));
  CHECK_THAT(value(result, "p99"), WithinRel(90.0, 1e-12));
  CHECK_THAT(value(result, "max"), WithinRel(120.5, 1e-12));
  CHECK(value(result, "rate") == 12056.9);
  CHECK(result.samples.size() == 6);
}

TEST_CASE("pinger: several pairs give the sum of their rates and each pair's figures") {
  const auto result = read_tcp(tcp);
  CHECK(result.failure.empty());
  CHECK_THAT(value(result, "rate"), WithinRel(72436.65 + 72438.55, 1e-12));
  CHECK(value(result, "rate", 1) == 72436.65);
  CHECK(value(result, "rate", 2) == 72438.55);
  CHECK_THAT(value(result, "mean"), WithinRel(13.8055, 1e-12));
  CHECK_THAT(value(result, "min"), WithinRel(8.0, 1e-12));
  CHECK_THAT(value(result, "max"), WithinRel(50.0, 1e-12));
  CHECK(std::isnan(value(result, "median")));   // medians of pairs do not add up
  CHECK_THAT(value(result, "median", 2), WithinRel(13.001, 1e-12));
}

TEST_CASE("pinger: real outputs of both modes give the figures they print") {
  Cell where = cell({{"bytes", "40"}});
  where.cpus = {0, 1};
  const auto one = read_results(pinger("udp-pingpong"), where, {output("pinger", "pinger-udp-bound.txt")});
  CHECK(one.failure.empty());
  CHECK_THAT(value(one, "mean"), WithinRel(605.7282, 1e-12));
  CHECK_THAT(value(one, "median"), WithinRel(30.1155, 1e-12));
  CHECK_THAT(value(one, "p99"), WithinRel(8008.032, 1e-12));
  where.cpus = {1, 0};
  CHECK(read_results(pinger("udp-pingpong"), where, {output("pinger", "pinger-udp-bound.txt")}).outcome == Outcome::PlacementMismatch);
  const auto four = read_results(pinger("tcp-rr"), cell({{"clients", "4"}}), {output("pinger", "pinger-tcp-rr-4.txt")});
  CHECK_THAT(value(four, "rate"), WithinRel(15832.5 + 15311.7 + 15811.7 + 15325.6, 1e-12));
  CHECK(value(four, "rate", 3) == 15811.7);
  CHECK_THAT(value(four, "mean"), WithinRel(64.2413, 1e-12));
  CHECK(value(read_results(pinger("tcp-rr"), cell({{"clients", "1"}}), {output("pinger", "pinger-tcp-rr-seconds.txt")}), "rate") == 45702.7);
  CHECK(is_clean_failure(read_results(pinger("tcp-rr"), cell({{"clients", "2"}}), {output("pinger", "pinger-tcp-rr-4.txt")})));
}

TEST_CASE("pinger: percentiles off its histogram may lie a step beside the exact extremes") {
  const std::string text = replaced(udp, "median_ns=82900 min_ns=81000", "median_ns=80000 min_ns=81000");
  CHECK(is_clean_failure(read_udp(text)));
  CHECK(read_udp(replaced(text, "server_cpus=2", "server_cpus=2 percentiles=histogram")).failure.empty());
}

TEST_CASE("pinger: an end on another CPU than its cell binds it to is a placement mismatch") {
  const std::pair<const char*, const char*> changes[] = {
      {"client_mask=1", "client_mask=3"}, {"server_mask=2", "server_mask=1"}, {"client_cpus=1", "client_cpus=3"}, {"server_cpus=2", "server_cpus=0"}, {"server_cpus=2", "server_cpus=?"}, {" server_mask=2", ""}};
  for (const auto& [from, to] : changes) {
    const auto result = read_udp(replaced(udp, from, to));
    INFO(to << " -> " << result.failure);
    CHECK(is_clean_failure(result));
    CHECK(result.outcome == Outcome::PlacementMismatch);
    CHECK_THAT(result.failure, ContainsSubstring("placement: the "));
  }
  CHECK(read_udp(replaced(udp, "client_cpus=1", "client_cpus=3")).failure == "placement: the client was to be on CPU 0 alone, client_cpus says CPU 0-1");
  CHECK(read_udp(udp, bound(1, 0)).outcome == Outcome::PlacementMismatch);
}

TEST_CASE("pinger: masks of many CPUs are read, with the kernel's commas or without") {
  std::string text = replaced(replaced(udp, "client_mask=1", "client_mask=1,00000000"), "client_cpus=1", "client_cpus=100000000");
  CHECK(read_udp(text, bound(32, 1)).failure.empty());
  CHECK(read_udp(replaced(replaced(udp, "client_mask=1", "client_mask=0000000000000001"), "server_mask=2", "server_mask=0x2")).outcome == Outcome::PlacementMismatch);
}

TEST_CASE("pinger: an unbound cell asks nothing of the placement") {
  CHECK(read_udp(replaced(udp, "client_mask=1", "client_mask=f"), cell({{"bytes", "40"}})).failure.empty());
}

TEST_CASE("pinger: its own message is the failure's") {
  const auto result = read_results(pinger("udp-pingpong"), bound(0, 1), {{"pinger", 0, "", "rig-pinger: no answer within 1000 ms\n", "exit 1 ms=9 cpus=3"}});
  CHECK(is_clean_failure(result));
  CHECK_THAT(result.failure, ContainsSubstring("no answer within 1000 ms"));
}

TEST_CASE("pinger: lost round trips are noted, all lost or too few is a failure") {
  const auto some = read_udp(replaced(replaced(udp, "n=1000", "n=997"), "lost=0", "lost=3"));
  CHECK(some.failure.empty());
  REQUIRE(some.notes.size() == 1);
  CHECK(some.notes[0] == "3 round trips were lost");
  CHECK(is_clean_failure(read_udp(replaced(replaced(udp, "n=1000", "n=0"), "lost=0", "lost=1000"))));
  CHECK_THAT(read_udp(replaced(udp, "n=1000", "n=999")).failure, ContainsSubstring("999 of 1000"));
}

TEST_CASE("pinger: hostile outputs are failures that say what is wrong") {
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"mean_ns=82940 ", "mean_ns=nan ", "no number"},
      {"mean_ns=82940 ", "mean_ns=inf ", "no number"},
      {"mean_ns=82940 ", "mean_ns=-1 ", "negative"},
      {"mean_ns=82940 ", "mean_ns=0 ", "is 0"},
      {"mean_ns=82940 ", "mean_ns=1e308 ", "nothing here can reach"},
      {"mean_ns=82940 ", "mean_us=82.9 ", "mean_ns is \"\""},
      {"mean_ns=82940 ", "mean_ns=82940 mean_ns=1 ", "another form"},
      {"mean_ns=82940 ", "mean_ns=82940 x ", "another form"},
      {"median_ns=82900", "median_ns=95000", "not in order"},
      {"min_ns=81000", "min_ns=83000", "not in order"},
      {"rig-pinger 1 ", "rig-pinger 2 ", "another version"},
      {"rig-pinger 1 ", "\x1b[1mrig-pinger 1 ", "another form"},
      {"pairs=1 bytes", "pairs=2 bytes", "2 pairs and shows 1"},
      {"bytes=40", "bytes=41", "41 bytes, 40 were asked for"},
      {"pair=0 n", "pair=1 n", "pair 0 is missing"},
      {"n=1000 ", "n=many ", "no number"},
      {"done\n", "", "cut short"},
      {"sum pairs", "hist pairs", "cut short"},
      {"done\n", "done\nmore\n", "more after its end"},
      {"done\n", "Segmentation fault\ndone\n", "another form"},
  };
  for (const auto& one : cases) {
    const auto result = read_udp(replaced(udp, one.from, one.to));
    INFO(one.to << " -> " << result.failure);
    CHECK(is_clean_failure(result));
    CHECK_THAT(result.failure, ContainsSubstring(one.says));
  }
  CHECK_THAT(read_udp(udp + udp).failure, ContainsSubstring("more after its end"));
  CHECK_THAT(read_udp("").failure, ContainsSubstring("printed nothing"));
  CHECK_THAT(read_tcp(replaced(tcp, "pair=1 n", "pair=0 n")).failure, ContainsSubstring("pair 1 is missing"));
}

TEST_CASE("pinger: an output cut at any byte is a failure") {
  for (std::size_t size = 0; size < udp.size(); ++size) {
    CHECK(is_clean_failure(read_udp(udp.substr(0, size))));
  }
}
