// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as gnuplot itself takes them.
#include "rig/report/plot.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "judging.h"
#include "records.h"
#include "rig/report/report.h"

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

TEST_CASE("The page's figures are drawn, with the published points where figures mean something") {
  RunRecord record = records::perturbed();
  Material material;
  material.judging = std::make_shared<const Judging>(records::tcp_rr());
  material.verdicts = verdicts_of(record, *material.judging);
  const auto plots = figures_of(record, material);
  REQUIRE(plots.size() == 3);
  CHECK_THAT(plots[0].script, ContainsSubstring("$published0 << EOD\n0 289581.86\nEOD"));
  CHECK_THAT(plots[0].description, ContainsSubstring("published, 3.18.0-master-BLD: 4 clients 115719.86"));
  for (const auto& plot : plots) CHECK_THAT(drawn(plot), ContainsSubstring("debian-6.1-bld"));
  // 65,000 to 93,000 of the plain kernel's boots
  CHECK_THAT(plots[0].script, ContainsSubstring(" 82000 65000 93000"));
  record.accelerator = "tcg";
  material.verdicts = verdicts_of(record, *material.judging);
  CHECK_THAT(figures_of(record, material)[0].script, !ContainsSubstring("289581"));
}

TEST_CASE("Bars of measured figures are the mean's interval") {
  const auto plots = figures_of(records::several_boots(), {});
  // Student's t of 4 degrees, 2.7764451, by Python: 45026.92 to 45254.68
  CHECK_THAT(plots[0].script, ContainsSubstring(" 45140.8 45026."));
}

TEST_CASE("Every page of the records here is drawn by gnuplot without a fault, whatever the names") {
  for (const auto& record : {records::post_2009(), records::post_2014(), records::outlier(), records::no_spread(),
                             records::hostile_names(), records::markup_names(), records::long_names()}) {
    for (const auto& plot : figures_of(record, {})) CHECK_THAT(drawn(plot), ContainsSubstring("</svg>"));
  }
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
