// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/report.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <stdexcept>

using namespace rig::model;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

struct Case {
  std::string text;
  const char* fault;
};

const std::string sum(64, 'a');
const std::string head = "rig-model-report 1\nspec q6600 sha256=" + sum + " mhz=2400 cpus=2 quantum=600\n";
const std::string region =
    "region 1 begin-ns=5 counted-ns=6 end-ns=7 yields=8\n"
    "cpu 0 elapsed=100 idle=40 instructions=33 served.memory.count=1 served.memory.cycles=60\n"
    "cpu 1 elapsed=0 idle=0 instructions=0\n"
    "bus 0 busy=18\n"
    "memory 0 busy=12\n"
    "dma reads=3 writes=4 written-back=2 invalidated=1\n"
    "end\n";

}  // namespace

TEST_CASE("a report is read as its format says") {
  const ModelReport r = parse_report(head + region + "exit\n");
  CHECK(r.spec_name == "q6600");
  CHECK(r.spec_sha256 == sum);
  CHECK(r.mhz == 2400);
  CHECK(r.cpus == 2);
  CHECK(r.quantum == 600);
  CHECK(r.exited);
  REQUIRE(r.regions.size() == 1);
  const RegionReport& one = r.regions[0];
  CHECK(one.begin_ns == 5);
  CHECK(one.counted_ns == 6);
  CHECK(one.end_ns == 7);
  CHECK(one.yields == 8);
  CHECK_FALSE(one.cut);
  CHECK(one.bus_busy == std::vector<std::uint64_t>{18});
  CHECK(one.memory_busy == std::vector<std::uint64_t>{12});
  CHECK(one.dma == DmaCounters{.reads = 3, .writes = 4, .written_back = 2, .invalidated = 1});
  REQUIRE(one.cpus.size() == 2);
  CHECK(one.cpus[0].value("served.memory.cycles") == 60);
  CHECK_FALSE(one.cpus[0].value("served.memory"));
}

TEST_CASE("a report that is written is read back as it was") {
  for (const std::string& text : {head, head + "exit\n", head + region, head + region + "region 2" + region.substr(8),
                                  head + region.substr(0, region.size() - 4) + "cut\nexit\n"}) {
    const ModelReport r = parse_report(text);
    CHECK(to_text(r) == text);
    CHECK(parse_report(to_text(r)) == r);
  }
}

TEST_CASE("a report with a fault is refused with its line") {
  const Case c = GENERATE(values<Case>({
      {"", "line 1: the report is cut off"},
      {"rig-model-report 2\n", "line 1: the report does not begin with 'rig-model-report 1'"},
      {head.substr(0, head.size() - 1), "line 2: the report is cut off"},
      {"rig-model-report 1\nspec q sha256=12 mhz=1 cpus=1 quantum=1\n", "line 2: sha256 takes 64 digits"},
      {head + "frob\n", "line 3: expected 'region' or 'exit', not 'frob'"},
      {head + "region 2 begin-ns=1 counted-ns=1 end-ns=1 yields=1\n", "line 3: numbers must follow each other"},
      {head + "region 1 begin-ns=1 counted-ns=1 end-ns=1\n", "line 3: a word is missing"},
      {head + "region 1 begin-ns=x counted-ns=1 end-ns=1 yields=1\n", "line 3: no such number: 'x'"},
      {head + "region 1 begin-ns=1 counted-ns=1 end-ns=1 yields=1\n", "line 4: the report is cut off"},
      {head + "region 1 begin-ns=1 counted-ns=1 end-ns=1 yields=1\ncpu 0 elapsed=1 idle=1\n",
       "line 4: instructions=… is missing"},
      {head + "region 1 begin-ns=1 counted-ns=1 end-ns=1 yields=1\ncpu 0 elapsed=1 idle=1 idle=2\n",
       "line 4: 'idle' stands here twice"},
      {head + "region 1 begin-ns=1 counted-ns=1 end-ns=1 yields=1\ncpu 0 elapsed=-1\n", "line 4: no such number: '-1'"},
      {head + "region 1 begin-ns=1 counted-ns=1 end-ns=1 yields=1\ncpu 0 elapsed=1 idle=1 instructions=1\nend\n",
       "line 5: the region does not tell of every vCPU"},
      {head + region + "exit\nexit\n", "nothing may follow 'exit'"},
      {head + "exit now\n", "line 3: too much: 'now'"},
  }));
  CHECK_THROWS_MATCHES(parse_report(c.text), std::runtime_error, MessageMatches(ContainsSubstring(c.fault)));
}

TEST_CASE("a report with a byte that is no text is refused") {  // found by the fuzz target model
  for (const char byte : {'\0', '\x0c', '\x7f', '\xff'}) {
    std::string text = head + region;
    text[text.find("served")] = byte;
    CHECK_THROWS_MATCHES(parse_report(text), std::runtime_error, MessageMatches(ContainsSubstring("line 4: a byte")));
  }
}

TEST_CASE("no cut of a report is taken for the whole of another region") {
  const std::string whole = head + region + "exit\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      const ModelReport r = parse_report(whole.substr(0, size));
      CHECK((size == head.size() || size == head.size() + region.size()));
      CHECK_FALSE(r.exited);
    } catch (const std::runtime_error&) {
    }
  }
}
