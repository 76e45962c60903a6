// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/options.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <vector>

using namespace rig::model;
using Catch::Matchers::ContainsSubstring;

namespace {
struct Case {
  std::vector<const char*> arguments;
  const char* fault;
};

ParsedOptions parsed(std::vector<const char*> arguments) { return parse_options(arguments); }
}  // namespace

TEST_CASE("the plug-in's arguments are read") {
  const auto p = parsed({"spec=/a/q6600=1.spec", "out=/b/report", "quantum=600", "verbose=on"});
  REQUIRE(p.fault.empty());
  CHECK(p.options.spec == "/a/q6600=1.spec");
  CHECK(p.options.out == "/b/report");
  CHECK(p.options.quantum == 600);
  CHECK(p.options.verbose);
}

TEST_CASE("the quantum has a default, and the plug-in is silent") {
  const auto p = parsed({"spec=a", "out=b"});
  REQUIRE(p.fault.empty());
  CHECK(p.options.quantum == 2400);
  CHECK_FALSE(p.options.verbose);
}

TEST_CASE("a wrong argument of the plug-in is told with what is allowed") {
  const Case c = GENERATE(values<Case>({
      {{}, "spec=FILE is missing"},
      {{"spec=a"}, "out=FILE is missing"},
      {{"out=a"}, "spec=FILE is missing"},
      {{"spec=", "out=b"}, "spec=FILE is missing"},
      {{"spec=a", "out=b", "spec=c"}, "'spec' is given twice"},
      {{"spec=a", "out=b", "quantum=0"}, "from 100 to 100000000, not '0'"},
      {{"spec=a", "out=b", "quantum=-5"}, "not '-5'"},
      {{"spec=a", "out=b", "quantum=2400x"}, "not '2400x'"},
      {{"spec=a", "out=b", "quantum"}, "not ''"},
      {{"spec=a", "out=b", "quantum=99999999999999999999"}, "quantum takes"},
      {{"spec=a", "out=b", "verbose=yes"}, "verbose takes on or off, not 'yes'"},
      {{"spec=a", "out=b", "cpi=2"}, "unknown argument 'cpi'; allowed: spec=FILE, out=FILE, quantum=CYCLES"},
  }));
  CHECK_THAT(parsed(c.arguments).fault, ContainsSubstring(c.fault));
}
