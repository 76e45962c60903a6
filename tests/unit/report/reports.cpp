// SPDX-License-Identifier: GPL-2.0-or-later
// Whole reports against files that were read and judged by eye (tests/golden/report). A changed
// layout is written anew with RIG_WRITE_GOLDEN=1 and then read again, all of it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>

#include "records.h"
#include "rig/report/report.h"
#include "rig/report/text.h"

using Catch::Matchers::ContainsSubstring;
using rig::text_report;

namespace {

void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(RIG_SOURCE_DIR) / "tests/golden/report" / (name + ".txt");
  if (std::getenv("RIG_WRITE_GOLDEN") != nullptr) rig::write_file(file, text);
  CHECK(text == rig::read_file(file));
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// The words of the first line that holds this text.
std::string line_with(const std::string& text, const std::string& what) {
  for (const auto& line : lines(text)) {
    if (line.find(what) == std::string::npos) continue;
    std::string words;
    for (const char c : line) {
      if (c != ' ' || (!words.empty() && words.back() != ' ')) words += c;
    }
    return words;
  }
  return "";
}

}  // namespace

TEST_CASE("Whole reports read as they were judged") {
  check_golden("one-boot-2014", text_report(records::post_2014()));
  check_golden("placements-2009", text_report(records::post_2009()));
  check_golden("mapped", text_report(records::mapped()));
  check_golden("several-boots", text_report(records::several_boots()));
  check_golden("perturbed", text_report(records::perturbed()));
  check_golden("swept", text_report(records::swept()));
  check_golden("swept-placements", text_report(records::swept_placements()));
  check_golden("what-if", text_report(records::what_if()));
  check_golden("some-failed", text_report(records::some_failed()));
  check_golden("no-spread", text_report(records::no_spread()));
  check_golden("nothing", text_report(records::nothing()));
  check_golden("long-names", text_report(records::long_names()));
  check_golden("hostile-names", text_report(records::hostile_names()));
  check_golden("several-boots-narrow", text_report(records::several_boots(), 60));
}

TEST_CASE("The 2014 post's ratios come out of its figures (it cuts the fourth digit, rig rounds)") {
  const std::string text = text_report(records::post_2014());
  CHECK_THAT(line_with(text, "261.986"), ContainsSubstring("throughput 261.986 MB/s 1 client 1 boot 0.912"));
  CHECK_THAT(line_with(text, "264.461"), ContainsSubstring("2 clients 1 boot 0.465"));
  CHECK_THAT(line_with(text, "476.191"), ContainsSubstring("4 clients 1 boot 0.445"));
  CHECK_THAT(line_with(text, "558.236"), ContainsSubstring("8 clients 1 boot 0.536"));
  CHECK_THAT(line_with(text, "115719.9"), ContainsSubstring("trans/s 4 clients 1 boot 0.400"));
  CHECK_THAT(line_with(text, "client 3"), ContainsSubstring("72213.2 trans/s client 3"));
  CHECK_THAT(text, ContainsSubstring("vs debian-6.1") && ContainsSubstring("1 boot: no spread"));
}

TEST_CASE("The 2009 post's averages, and R's intervals of them (see tests/unit/stats/ratios.cpp)") {
  const std::string text = text_report(records::post_2009());
  CHECK_THAT(text, ContainsSubstring("same CPU\n"));
  CHECK_THAT(line_with(text, "83.030"), ContainsSubstring("2.6.22 83.030 82.900 82.890 82.920 82.935"));
  CHECK_THAT(line_with(text, "84.880"), ContainsSubstring("84.800") && ContainsSubstring("1.022 [1.021, 1.024]"));
  CHECK_THAT(line_with(text, "92.080"), ContainsSubstring("91.66") && ContainsSubstring("1.000 [0.992, 1.008]"));
  CHECK_THAT(line_with(text, "91.640"),
             ContainsSubstring("91.645") && ContainsSubstring("+8.710"));  // the post: up to 9
}

TEST_CASE("Boots in virtual time show their range, and never an interval") {
  const std::string text = text_report(records::perturbed());
  CHECK_THAT(line_with(text, "82000"),
             ContainsSubstring("82000.00 trans/s 4 clients 65000.00 to 93000.00 3 boots 1.000"));
  // 72,500 / 246,000; 23,000 / 93,000 and 26,000 / 65,000
  CHECK_THAT(line_with(text, "24166"), ContainsSubstring("23000.00 to 26000.00 3 boots 0.295 [0.247, 0.400]"));
  CHECK_THAT(text, ContainsSubstring(
                       "q6600: Intel Core 2 Quad Q6600, 2.4 GHz; timing 3f2a91c0d1e2, fitted to a published figure"));
  CHECK_THAT(text, ContainsSubstring("a range, and no interval") && !ContainsSubstring("Fieller") &&
                       !ContainsSubstring("sd:"));
}

TEST_CASE("A sweep is a table by what is swept, and says where a comparison holds") {
  const std::string text = text_report(records::swept(), 200);
  CHECK_THAT(text, ContainsSubstring("tcp-rr on q6600, by fsb.cache_to_cache: rate, trans/s, more is better"));
  CHECK_THAT(line_with(text, "60 ns  "),
             ContainsSubstring("91000.00 (90000.00 to 92000.00) 40500.00 (40000.00 to 41000.00) 0.445"));
  // 23,100 / 88,000 and 23,500 / 86,000; at 1000 ns 52,000 / 60,000 to 58,000 / 50,000, which lie round 1
  CHECK_THAT(line_with(text, "107 ns  "), ContainsSubstring("0.268 [0.263, 0.273]"));
  CHECK_THAT(
      text,
      ContainsSubstring(
          "debian-6.1-bld < debian-6.1 holds for 2 of 3 values swept; undecided at 1000 ns; ratio 0.268 to 1.000."));
}

TEST_CASE("Placements are compared in their order at every point of a sweep") {
  const std::string text = text_report(records::swept_placements(), 200);
  CHECK_THAT(text, ContainsSubstring("udp-pingpong on q6600, by fsb.cache_to_cache and halt.exit"));
  CHECK_THAT(text, ContainsSubstring("same-cpu < same-l2 holds for 2 of 3 values swept; the other way round at"));
  CHECK_THAT(text, ContainsSubstring("same-l2 < same-package holds for every value swept (3); ratio 0.500 to"));
}

TEST_CASE("A value at which a cell failed is told, and nothing is claimed to hold there") {
  auto record = records::swept();
  const std::string failed = record.cells[0].id;  // the plain kernel at 60 ns
  for (auto& attempt : record.attempts) {
    if (attempt.cell != failed) continue;
    attempt.outcome = rig::Outcome::Panic;
    attempt.samples.clear();
  }
  CHECK_THAT(text_report(record, 200),
             ContainsSubstring("debian-6.1-bld < debian-6.1 holds for 1 of 3 values swept; undecided at 1000 ns; "
                               "without figures at 60 ns; ratio"));
}

TEST_CASE("Many swept numbers are counted, not listed") {
  auto record = records::swept_placements();
  for (auto& machine : record.topologies) {
    for (const char* more : {"timing.a", "timing.b"}) machine.swept.push_back({more, "1 ns"});
  }
  CHECK_THAT(text_report(record), ContainsSubstring("udp-pingpong on q6600, by 4 numbers: mean"));
}

TEST_CASE("A what-if stands beside the machine it was made from") {
  const std::string text = text_report(records::what_if());
  CHECK_THAT(text, ContainsSubstring("q6600-shared-l2 (q6600 with caches.l2.shared_by 4)"));
  CHECK_THAT(line_with(text, "67500.00  3"),
             ContainsSubstring("debian-6.1-bld 4 clients 22500.00 67500.00 3.000 [2.400, 3.750]"));
}

TEST_CASE("The heading says what the figures mean, why so, and where each kernel comes from") {
  const std::string text = text_report(records::post_2014());
  CHECK_THAT(text, ContainsSubstring("tcg: functional only"));
  CHECK_THAT(text, ContainsSubstring("Chosen because: asked for on the command line"));
  CHECK_THAT(text, ContainsSubstring(
                       "debian-6.1 (baseline): Linux 6.1.192, linux-source-6.1 6.1.192-1 (bookworm), gcc 12.2.0"));
}

TEST_CASE("Figures of different metrics never stand in one table") {
  const std::string text = text_report(records::several_boots());
  CHECK_THAT(text, ContainsSubstring("tbench on q6600: lines, lines/s"));
  CHECK_THAT(text, ContainsSubstring("Not every cell has throughput (see the notes): lines is compared instead."));
  auto nowhere = records::several_boots();
  for (auto& attempt : nowhere.attempts)
    std::erase_if(attempt.samples, [](const rig::Sample& sample) { return sample.metric == "throughput"; });
  CHECK_THAT(text_report(nowhere),
             ContainsSubstring("No cell has throughput (see the notes): lines is compared instead."));
  CHECK_THAT(text, ContainsSubstring("37412 lines a client, fewer than 50,000"));
}

TEST_CASE("Every failure is there with its reason, and what was never run") {
  const std::string text = text_report(records::some_failed());
  for (const char* what :
       {"boots 1, 2, 3: panic", "Kernel panic - not syncing: Attempted to kill init!", "boot 3: timeout",
        "still running at its time limit", "boot 2: infrastructure (tried again: ok)", "QEMU died: signal 6",
        "boot 2: topology-mismatch", "boot 3: interrupted", "boot 1: skipped",
        "q6600 has one package: no other-package", "no result: 3 panic", "Not run", "2 of 3 boots",
        "1 attempt was tried again"}) {
    CHECK_THAT(text, ContainsSubstring(what));
  }
}

TEST_CASE("Attempts tried again are counted alike in the list and in the tally, and the machinery's failures told") {
  auto record = records::several_boots();
  const rig::AttemptRecord good = record.attempts.front();
  record.attempts.front().attempt = 2;
  for (int number : {0, 1}) {  // twice the same, of one repetition
    rig::AttemptRecord failed = good;
    failed.attempt = number;
    failed.outcome = rig::Outcome::Infrastructure;
    failed.reason = "QEMU ended by itself";
    failed.samples.clear();
    record.attempts.insert(record.attempts.begin() + number, failed);
  }
  const std::string text = text_report(record, 200);
  CHECK_THAT(text, ContainsSubstring("infrastructure in 2 attempts (tried again: ok)"));
  CHECK_THAT(text, ContainsSubstring("2 attempts were tried again."));
  CHECK_THAT(text, ContainsSubstring("The machinery failed in 2 of " + std::to_string(record.attempts.size()) +
                                     " attempts ("));
  CHECK(text_report(records::several_boots()).find("The machinery") == std::string::npos);
}

TEST_CASE("A cell whose baseline has no figures has no ratio") {
  CHECK_THAT(line_with(text_report(records::some_failed()), "390.000"), ContainsSubstring("8 clients 1 of 3 boots -"));
}

TEST_CASE("No control character, no broken UTF-8 and no turning mark reaches the reader") {
  const std::string text = text_report(records::hostile_names());
  for (const unsigned char c : text) {
    if (c == '\n') continue;
    if (c < 0x20 || c >= 0x7F) FAIL("byte " << static_cast<int>(c));
  }
  CHECK_THAT(text, ContainsSubstring(
                       "\\x1b[2J\\x1b]0;owned\\x07\\x0d\\nk\\xffrnel\\xc0\\x80 \\u{202e}gnp.exe\\u{200b}\\u{9b}31m"));
  CHECK_THAT(text, ContainsSubstring("{}{0}%s%n"));
}

TEST_CASE("Lines keep to the width wherever words allow it") {
  for (const int width : {60, 80, 100}) {
    for (const auto& record : {records::post_2014(), records::post_2009(), records::several_boots(),
                               records::some_failed(), records::no_spread()}) {
      for (const auto& line : lines(text_report(record, width))) {
        INFO(line);
        // Tables are as wide as their figures; at 100 columns they fit.
        if (width == 100) CHECK(rig::report::columns(line) <= 100);
      }
    }
  }
}

TEST_CASE("A record with nothing in it gives a report and not a crash") {
  CHECK_THAT(text_report({}), ContainsSubstring("The run has no cells."));
  auto record = records::post_2014();
  record.metrics.clear();
  CHECK_THAT(text_report(record), ContainsSubstring("names no metric of this job"));
  record = records::post_2014();
  record.baseline = "gone";
  record.kernels.clear();
  CHECK_THAT(line_with(text_report(record), "261.986"), ContainsSubstring("1 client 1 boot -"));
}

TEST_CASE("Any width is taken") {
  for (const int width : {-5, 0, 1, 1000000}) CHECK_FALSE(text_report(records::post_2014(), width).empty());
}
