// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fixtures.h"

using namespace rig;
using namespace fixtures;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

JobResult read(StepOutput output, const std::string& clients = "1") { return read_results(tbench(), cell({{"clients", clients}, {"seconds", "3"}}), {std::move(output)}); }
JobResult read_text(const std::string& text, const std::string& clients = "1") { return read({"tbench", 0, text, "", "exit 0 ms=1 cpus=1"}, clients); }

}  // namespace

TEST_CASE("tbench: real outputs give the figures they print") {
  const auto one = read(output("tbench", "tbench-host-1.txt"));
  CHECK(one.failure.empty());
  CHECK(value(one, "throughput") == 252.006);
  CHECK(value(one, "lines") == 90326.0 / 2);   // one client, no warm-up, 90,326 lines by the second second
  CHECK(value(one, "max_latency") == 6.798);
  CHECK(one.notes.empty());
  const auto two = read(output("tbench", "tbench-host-2.txt"), "2");
  CHECK(value(two, "throughput") == 620.586);
  CHECK(value(two, "lines") == 2 * 112376.0 / 2);
}

TEST_CASE("tbench: below 50,000 lines a client there is no MB/s, and a note says why") {
  const auto four = read(output("tbench", "tbench-host-4.txt"), "4");
  CHECK(four.failure.empty());
  CHECK_FALSE(has(four, "throughput"));
  CHECK(value(four, "lines") == 4 * 38614.0 / 2);
  REQUIRE(four.notes.size() == 1);
  CHECK(four.notes[0] == "38614 lines a client, fewer than 50,000: MB/s is not comparable");
  const auto eight = read(output("tbench", "tbench-host-8.txt"), "8");
  CHECK_FALSE(has(eight, "throughput"));
  CHECK(value(eight, "lines") == 8 * 14960.0 / 2);
}

TEST_CASE("tbench: exactly 50,000 lines are enough") {
  const std::string text = output("tbench", "tbench-host-1.txt").out;
  CHECK(has(read_text(replaced(text, "90326", "50000")), "throughput"));
  CHECK_FALSE(has(read_text(replaced(text, "90326", "49999")), "throughput"));
}

TEST_CASE("tbench: after a warm-up lines are counted between the first and the last progress line") {
  const auto result = read(output("tbench", "tbench-host-1-t5-warmup.txt"));
  CHECK(value(result, "throughput") == 286.089);
  CHECK_THAT(value(result, "lines"), WithinRel((259302.0 - 98450.0) / 3, 1e-12));   // seconds 1 to 4
  const auto two = read(output("tbench", "tbench-host-2-t11-warmup.txt"), "2");
  CHECK(value(two, "throughput") == 774.296);
  CHECK_THAT(value(two, "lines"), WithinRel(2 * (856232.0 - 213078.0) / 9, 1e-12));
}

TEST_CASE("tbench: a missing barrier semaphore does not spoil a whole run") {
  const auto real = output("tbench", "tbench-host-1-t2.txt");
  REQUIRE(real.out.find("failed to create barrier semaphore") != std::string::npos);
  const auto result = read(real);
  CHECK(result.failure.empty());
  CHECK(value(result, "throughput") == 385.381);
  CHECK(value(result, "lines") == 68433);
}

TEST_CASE("tbench: versions before mid-2007 print no max_latency") {
  const auto result = read_text(replaced(output("tbench", "tbench-host-1.txt").out, "  1 procs  max_latency=6.798 ms", "  1 procs"));
  CHECK(value(result, "throughput") == 252.006);
  CHECK_FALSE(has(result, "max_latency"));
}

TEST_CASE("tbench: a throughput of 0 with exit 0 is a failure") {
  const auto result = read(output("tbench", "tbench-t0.txt"));
  CHECK(is_clean_failure(result));
  CHECK(result.outcome == Outcome::BenchmarkFailed);
  CHECK_THAT(result.failure, ContainsSubstring("throughput that is 0"));
}

TEST_CASE("tbench: no server is named as the cause, not the time limit that ended it") {
  const auto result = read(output("tbench", "tbench-noserver-localhost.txt"), "2");
  CHECK(is_clean_failure(result));
  CHECK(result.outcome == Outcome::BenchmarkFailed);
  CHECK_THAT(result.failure, ContainsSubstring("no tbench_srv answered: failed to connect to localhost - Connection refused"));
}

TEST_CASE("tbench: a run cut short is a timeout with its last line") {
  const auto result = read(output("tbench", "tbench-killed-midway.txt"), "2");
  CHECK(is_clean_failure(result));
  CHECK(result.outcome == Outcome::Timeout);
  CHECK_THAT(result.failure, ContainsSubstring("still running at its time limit") && ContainsSubstring("warmup   1 sec"));
}

TEST_CASE("tbench: a status other than exit 0 fails whatever was printed") {
  auto whole = output("tbench", "tbench-host-1.txt");
  for (const char* status : {"exit 1 ms=9 cpus=1", "signal 9 ms=9 cpus=1", "limit ms=9 cpus=1", "", "exit", "exit 00", "exit 0x", "gone\x1b[2J"}) {
    whole.status = status;
    INFO(status);
    CHECK(is_clean_failure(read(whole)));
  }
  whole.status = "exit 0";
  CHECK(read(whole).failure.empty());
}

TEST_CASE("tbench: hostile result lines are failures that say what is wrong") {
  const std::string text = output("tbench", "tbench-host-1.txt").out;
  const std::string line = "Throughput 252.006 MB/sec  1 clients  1 procs  max_latency=6.798 ms";
  const std::pair<const char*, const char*> cases[] = {
      {"Throughput nan MB/sec  1 clients  1 procs  max_latency=6.798 ms", "no number"},
      {"Throughput -nan MB/sec  1 clients  1 procs  max_latency=6.798 ms", "no number"},
      {"Throughput inf MB/sec  1 clients  1 procs  max_latency=6.798 ms", "no number"},
      {"Throughput -252 MB/sec  1 clients  1 procs  max_latency=6.798 ms", "negative"},
      {"Throughput 1e308 MB/sec  1 clients  1 procs  max_latency=6.798 ms", "nothing here can reach"},
      {"Throughput 1e999 MB/sec  1 clients  1 procs  max_latency=6.798 ms", "no number"},
      {"Throughput 0 MB/sec  1 clients  1 procs  max_latency=6.798 ms", "is 0"},
      {"Throughput 0x10 MB/sec  1 clients  1 procs  max_latency=6.798 ms", "no number"},
      {"Throughput 252,006 MB/sec  1 clients  1 procs  max_latency=6.798 ms", "no number"},
      {"Throughput 252.006 KB/sec  1 clients  1 procs  max_latency=6.798 ms", "is in KB/sec"},
      {"Throughput 252.006 MB/sec  2 clients  1 procs  max_latency=6.798 ms", "2 clients, 1 were asked for"},
      {"Throughput 252.006 MB/sec", "cut short"},
      {"Throughput 252.0", "cut short"},
      {"Throughput ", "no Throughput line"},   // the trailing blank is gone: no result line at all
      {"", "no Throughput line"},
      {"\x1b[1mThroughput 252.006 MB/sec  1 clients  1 procs", "no Throughput line"},
      {"Throughput \x1b[1m252.006 MB/sec  1 clients  1 procs", "no number"},
      {"Throughput 252.006 MB/sec  1 clients  1 procs  max_latency=6.798 s", "not in ms"},
      {"Throughput 252.006 MB/sec  1 clients  1 procs  max_latency=nan ms", "max_latency"},
  };
  for (const auto& [hostile, says] : cases) {
    const auto result = read_text(replaced(text, line, hostile));
    INFO(hostile << " -> " << result.failure);
    CHECK(is_clean_failure(result));
    CHECK_THAT(result.failure, ContainsSubstring(says));
  }
}

TEST_CASE("tbench: two result lines are no result") {
  const std::string text = output("tbench", "tbench-host-1.txt").out;
  CHECK_THAT(read_text(text + text).failure, ContainsSubstring("2 Throughput lines"));
}

TEST_CASE("tbench: a result without progress lines says nothing of how far it came") {
  CHECK_THAT(read_text("Throughput 252.006 MB/sec  1 clients  1 procs  max_latency=6.798 ms\n").failure, ContainsSubstring("no progress line"));
}

TEST_CASE("tbench: an output cut at any byte is a failure") {
  const std::string text = output("tbench", "tbench-host-1.txt").out;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto result = read_text(text.substr(0, size));
    CHECK(is_clean_failure(result));
  }
}

TEST_CASE("tbench: any bytes are taken") {
  std::string noise;
  unsigned state = 1;
  for (int i = 0; i < 1 << 20; ++i) noise += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  CHECK(is_clean_failure(read_text(noise)));
  CHECK(is_clean_failure(read_text(std::string(1 << 20, '\n'))));
  CHECK(is_clean_failure(read_text(std::string(1 << 20, ' '))));
  CHECK(is_clean_failure(read_text("Throughput " + std::string(1 << 20, '9'))));
}
