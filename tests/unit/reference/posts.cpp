// SPDX-License-Identifier: GPL-2.0-or-later
// The shipped references against the posts' tables as they were printed (tests/fixtures/posts), and the posts'
// means, sums, ratios and words against their own raw figures.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "rig/base/base.h"
#include "rig/config/config.h"

using Catch::Matchers::WithinAbs;
using namespace rig;
namespace fs = std::filesystem;

namespace {

using Texts = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& post) {
  std::istringstream stream(read_file(fs::path(RIG_SOURCE_DIR) / "tests/fixtures/posts" / post));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Reference shipped(const std::string& name) {
  return load_reference(fs::path(RIG_SOURCE_DIR) / "jobs/references" / (name + ".yaml"));
}

Texts texts(const PublishedRow& row) {
  Texts all;
  for (const auto& figure : row.figures) all.push_back(figure.text);
  return all;
}

std::string text_of(const std::optional<Printed>& printed) { return printed ? printed->text : ""; }

}  // namespace

TEST_CASE("Every figure of the 2014 post stands in its reference, as printed") {
  const Reference reference = shipped("galbraith-2014");
  const std::regex tbench(R"(Throughput (\S+) MB/sec  (\d+) clients  \d+ procs  max_latency=(\S+) ms\s+(\S+))");
  const std::regex rate(R"(16384  87380  1        1       30\.00    (\S+))"), sum(R"(\s+sum\s+(\S+)\s+(\S+).*)");
  std::string kernel;
  std::map<std::string, Texts> rates;
  int throughputs = 0, sums = 0;
  for (const auto& line : lines_of("galbraith-2014.txt")) {
    std::smatch m;
    if (line.starts_with("3.18.0-master")) kernel = line.substr(0, line.find(' '));
    if (std::regex_match(line, m, rate)) rates[kernel].push_back(m[1]);
    if (std::regex_match(line, m, tbench)) {
      ++throughputs;
      const Selector cell{kernel, "", {{"clients", m[2]}}};
      const auto* row = row_of(*table_of(reference, "tbench"), cell);
      const auto* latency = row_of(*table_of(reference, "max-latency"), cell);
      REQUIRE((row != nullptr && latency != nullptr));
      CHECK(texts(*row) == Texts{m[1]});
      CHECK(text_of(row->ratio) == m[4]);
      CHECK(texts(*latency) == Texts{m[3]});
    }
    if (std::regex_match(line, m, sum)) {
      ++sums;
      const auto* row = row_of(*table_of(reference, "tcp-rr"), {kernel, "", {{"clients", "4"}}});
      REQUIRE(row != nullptr);
      CHECK(texts(*row) == rates[kernel]);
      CHECK(text_of(row->sum) == m[1]);
      CHECK(text_of(row->ratio) == m[2]);
    }
  }
  CHECK(throughputs == 8);
  CHECK(sums == 2);
  CHECK(rates.size() == 2);
}

TEST_CASE("Every figure of the 2009 post stands in its reference, as printed") {
  const Reference reference = shipped("lameter-2009");
  const std::map<std::string, std::string> blocks = {{"Same CPU", "same-cpu"},
                                                     {"Same core, different processor (l2 is shared)", "same-l2"},
                                                     {"Same Socket, different core (l2 not shared)", "same-package"},
                                                     {"Different Socket", "other-package"}};
  std::string placement;
  int rows = 0;
  for (const auto& line : lines_of("lameter-2009.txt")) {
    if (const auto block = blocks.find(line); block != blocks.end()) placement = block->second;
    std::istringstream words(line);
    Texts all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.size() != 6 || !line.starts_with("2.6.")) continue;
    ++rows;
    const auto* row = row_of(*table_of(reference, "udpping"), {all[0], placement, {}});
    REQUIRE(row != nullptr);
    CHECK(texts(*row) == Texts(all.begin() + 1, all.begin() + 5));
    CHECK(text_of(row->mean) == all[5]);
  }
  CHECK(rows == 40);
  CHECK(table_of(reference, "udpping")->rows.size() == 40);
}

TEST_CASE("The 2014 post's sums follow from its rates, and two of its ratios are cut rather than rounded") {
  std::set<std::string> cut;
  int ratios = 0, sums = 0;
  for (const auto& one : recompute(shipped("galbraith-2014"))) {
    INFO(one.table << ", " << one.row << ": " << one.what << " " << one.printed << ", recomputed " << one.value);
    CHECK(one.how != Recomputed::How::Differs);
    ratios += one.what == "ratio";
    if (one.what == "sum") {
      ++sums;
      CHECK(one.how == Recomputed::How::Exact);
    }
    if (one.how == Recomputed::How::Truncated) cut.insert(one.printed);
  }
  CHECK(ratios == 10);
  CHECK(sums == 2);
  CHECK(cut == std::set<std::string>{".911", ".399"});  // 0.91154 and 0.39961; the other three are so either way
}

TEST_CASE("All forty averages of the 2009 post are the rounded means of its four tests") {
  const auto all = recompute(shipped("lameter-2009"));
  CHECK(all.size() == 40);
  for (const auto& one : all) {
    INFO(one.row << ": " << one.printed << ", recomputed " << one.value);
    CHECK((one.how == Recomputed::How::Exact || one.how == Recomputed::How::Rounded));
  }
}

TEST_CASE("The 2009 post's summary follows from its tables in part") {
  // Differences of means, by R 4.2.2 from the post's table: rowMeans(tests) of a placement minus those of same-cpu.
  std::map<std::string, std::set<std::string>> follows, all;
  std::map<std::string, double> published;
  for (const auto& one : check_own(shipped("lameter-2009"))) {
    all[one.claim].insert(one.label);
    if (one.follows) follows[one.claim].insert(one.label);
    published[one.claim + one.label] = one.published;
  }
  CHECK(follows["fastest-path"].empty());  // "~1.5usec": 1.865 from 2.6.22 to 2.6.30-rc3
  CHECK_THAT(published["fastest-path"], WithinAbs(1.865, 1e-9));
  CHECK(follows["same-l2"] == std::set<std::string>{"2.6.26", "2.6.27"});  // "2-3 usecs"
  CHECK_THAT(published["same-l22.6.22"], WithinAbs(1.655, 1e-9));
  CHECK_THAT(published["same-l22.6.26"], WithinAbs(2.0175, 1e-9));
  CHECK_THAT(published["same-l22.6.30-rc3"], WithinAbs(1.005, 1e-9));
  CHECK(follows["same-package"].empty());  // "~ 8 usecs": 7.45 at most
  CHECK_THAT(published["same-package2.6.27"], WithinAbs(7.45, 1e-9));
  CHECK_THAT(published["same-package2.6.29"], WithinAbs(5.18, 1e-9));
  CHECK(follows["other-package"].size() == 10);  // "up to 9 usecs"
  CHECK_THAT(published["other-package2.6.23"], WithinAbs(8.91, 1e-9));
  CHECK(follows["order"].size() == 8);  // "Maximum is usual if threads are on different sockets …
  CHECK(follows["order-exceptions"] == std::set<std::string>{"2.6.26", "2.6.27"});  // … (2.6.26/2.6.27)"
}

TEST_CASE("The 2014 post's ratios, as it prints them, follow from its table") {
  for (const auto& one : check_own(shipped("galbraith-2014"))) {
    INFO(one.claim << ": " << one.published);
    CHECK(one.follows);
  }
}
