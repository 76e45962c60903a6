// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as gnuplot itself takes them.
#include "rig/report/plot.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "records.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;

namespace {

// What gnuplot makes of a figure; it throws where gnuplot finds a fault in the script.
std::string drawn(const Plot& plot) {
  return run_checked({.argv = {"gnuplot"},
                      .input = "set encoding utf8\nset terminal svg noenhanced\nset title " +
                               gnuplot_literal(plot.title) + " noenhanced\n" + plot.script})
      .out;
}

}  // namespace

TEST_CASE("A sweep of one path is one figure, a curve a kernel, with the ranges of its boots") {
  const auto plots = plots_of(records::swept());
  REQUIRE(plots.size() == 1);
  CHECK(plots[0].name == "tcp-rr-q6600-4-clients-timing.fsb.cache_to_cache");
  CHECK_THAT(
      plots[0].script,
      ContainsSubstring("$curve0 << EOD\n60 91000 90000 92000\n107 87000 86000 88000\n1000 55000 50000 60000\nEOD"));
  CHECK_THAT(plots[0].script, ContainsSubstring("set xlabel 'timing.fsb.cache_to_cache, ns'"));
  const std::string svg = drawn(plots[0]);
  CHECK_THAT(svg, ContainsSubstring("debian-6.1-bld") && ContainsSubstring("rate, trans/s"));
}

TEST_CASE("One path at a time gives each path its figure, and points that stand alone none") {
  const auto plots = plots_of(records::swept_placements());
  REQUIRE(plots.size() == 2);
  CHECK_THAT(plots[0].script, ContainsSubstring("60 11 11 11\n107 16 16 16\nEOD"));
  CHECK_THAT(plots[1].script, ContainsSubstring("0 14 14 14\n800 16 16 16\nEOD"));
  for (const auto& plot : plots) CHECK_THAT(drawn(plot), ContainsSubstring("same package, another L2"));
}

TEST_CASE("A grid has a curve for each setting of the other path; words stand in their order; quotes are text") {
  const auto plots = plots_of(records::swept_grid());
  REQUIRE(plots.size() == 2);
  CHECK(plots[0].name == "tcp-rr-q-6600-4-clients-timing.halt.exit");
  CHECK_THAT(plots[0].title, ContainsSubstring("tcp-rr on q'6600, 4 clients"));
  CHECK_THAT(plots[0].script, ContainsSubstring("'debian-6.1, timing.passes true'") &&
                                  ContainsSubstring("'debian-6.1, timing.passes false'"));
  CHECK_THAT(plots[1].script, ContainsSubstring("('true' 0, 'false' 1)"));
  for (const auto& plot : plots) CHECK_THAT(drawn(plot), ContainsSubstring("tcp-rr on q\u20196600"));
}

TEST_CASE("What is no sweep, or has no figures, is not drawn") {
  CHECK(plots_of(records::several_boots()).empty());
  auto record = records::swept();
  record.attempts.clear();
  CHECK(plots_of(record).empty());
}

TEST_CASE("Names that would be commands of gnuplot are drawn as text") {
  auto record = records::swept();
  for (auto& kernel : record.kernels) kernel.name = "'; system('touch pwned'); '";
  for (auto& cell : record.cells) cell.kernel = record.kernels[0].name;
  const auto plots = plots_of(record);
  REQUIRE(plots.size() == 1);
  CHECK_THAT(drawn(plots[0]), ContainsSubstring("touch pwned"));
  CHECK_FALSE(std::filesystem::exists("pwned"));
}
