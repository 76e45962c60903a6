// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <stdexcept>

#include "tests/unit/model/machines.h"

using namespace rig::model;
using namespace rig::model::test;

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_spec(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "taken";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("A machine is the same after its way through text") {
  for (const MachineSpec& spec : {quad(), two_packages(), three_levels(), tiny(three_levels())}) {
    CHECK(parse_spec(to_text(spec)) == spec);
  }
}

TEST_CASE("Each fault of a machine's text has its message") {
  const std::string text = to_text(quad());
  CHECK(text.starts_with("rig-machine 1\nname quad\ncpus 4\nlevels 2\nnodes 1\nmhz 2400\n"));
  CHECK(refusal("") == "'name' is missing");
  CHECK(refusal("something\n") == "line 1: it must be 'rig-machine 1'");
  CHECK(refusal(text.substr(0, text.size() - 1)).ends_with("it does not end"));
  CHECK(refusal(text + "mhz 3\n").ends_with("'mhz' stands twice"));
  CHECK(refusal(text + "what 3\n").ends_with("'what' is not known"));
  CHECK(refusal(text + "what\n").ends_with("it is no key and value"));
  CHECK(refusal(replaced(text, "mhz 2400", "mhz fast")) == "line 6: 'mhz' is no whole number of at most 2147483648");
  CHECK(refusal(replaced(text, "mhz 2400", "mhz -1")).starts_with("line 6: 'mhz' is no whole number"));
  CHECK(refusal(replaced(text, "cpus 4", "cpus 5000")) == "line 3: 'cpus' is no whole number of at most 4096");
  CHECK(refusal(replaced(text, "levels 2", "levels 3")) == "'level3.sets' is missing");
  CHECK(refusal(replaced(text, "level1.sets 64", "level1.sets 63")) == "level 1: the sets are no power of two");
  CHECK(refusal(std::string(300 * 1024, 'x')) == "the text is longer than 256 KiB");
}

TEST_CASE("Damaged text is refused or read, and nothing else") {
  const std::string text = to_text(three_levels());
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % damaged.size();
      if (random() % 3 == 0) {
        damaged.erase(at, random() % 20);
      } else {
        damaged[at] = static_cast<char>(random() % 256);
      }
      if (damaged.empty()) break;
    }
    const std::string answer = refusal(damaged);
    CHECK(!answer.empty());
  }
}
