// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <chrono>

#include "rig/config/text_check.h"
#include "rig/config/yaml_tree.h"

using namespace rig;

namespace {

// The faults of a text, as the user reads them but for the source lines.
std::string faults_of(const std::string& text, const yaml::Limits& limits = {}) {
  std::vector<Diagnostic> faults;
  yaml::parse(text, "f.yaml", faults, limits);
  std::string all;
  for (const auto& fault : faults) all += (all.empty() ? "" : "\n") + render(fault, "");
  return all;
}

// Nine lines that would be a thousand million values with every alias written out.
std::string alias_bomb() {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    text += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) text += (i > 0 ? ", " : "") + before;
    text += "]\n";
  }
  return text;
}

}  // namespace

TEST_CASE("Every value of a document knows its line and its column") {
  std::vector<Diagnostic> faults;
  const auto root = yaml::parse("name: x\njobs:\n  - {job: tbench, clients: [1, 2]}\n", "f.yaml", faults);
  REQUIRE(faults.empty());
  REQUIRE(root->kind == yaml::Node::Kind::Map);
  const yaml::Member& jobs = *root->find("jobs");
  CHECK(jobs.mark.line == 2);
  CHECK(jobs.mark.column == 1);
  const yaml::Node& line = *jobs.value->items.at(0);
  CHECK(line.mark.line == 3);
  CHECK(line.mark.column == 5);
  const yaml::Node& second = *line.find("clients")->value->items.at(1);
  CHECK(second.text == "2");
  CHECK(second.mark.column == 32);
}

TEST_CASE("Columns count characters, not bytes") {
  std::vector<Diagnostic> faults;
  const auto root = yaml::parse("{title: größe, x: 1}", "f.yaml", faults);
  REQUIRE(faults.empty());
  CHECK(root->find("x")->mark.column == 16);
}

TEST_CASE("An anchor and its alias are the same value") {
  std::vector<Diagnostic> faults;
  const auto root = yaml::parse("a: &x {size: 4 MiB}\nb: *x\n", "f.yaml", faults);
  REQUIRE(faults.empty());
  CHECK(root->find("b")->value == root->find("a")->value);
}

TEST_CASE("Words that YAML 1.1 takes for booleans stay as written") {
  std::vector<Diagnostic> faults;
  const auto root = yaml::parse("{CONFIG_A: y, CONFIG_B: n, c: on, d: 010}", "f.yaml", faults);
  CHECK(root->find("CONFIG_A")->value->text == "y");
  CHECK(root->find("CONFIG_B")->value->text == "n");
  CHECK(root->find("c")->value->text == "on");
  CHECK(root->find("d")->value->text == "010");
}

TEST_CASE("What a YAML library takes in silence is a fault") {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: the key 'a' stands twice, first in line 1\n  remove one of them"},
      {"base: &b {x: 1}\nmore:\n  <<: *b\n",
       "f.yaml:3:3: merge keys (<<) are not understood\n  write the keys out, or share whole values by anchor and "
       "alias"},
      {"a: !!int 3\n", "f.yaml:1:4: type tags (!…) are not understood\n  write the value alone"},
      {"a: &x [*x]\n", "f.yaml:1:8: this alias lies inside its own anchor"},
      {"a: &x b\n*x : 1\n", "f.yaml:2:1: an alias cannot be a key\n  write the key out"},
      {"? [a, b]\n: 1\n", "f.yaml:1:3: a list or a map cannot be a key\n  a key is a word"},
      {"\"\": 1\n", "f.yaml:1:1: an empty key"},
      {"a: 1\n---\nb: 2\n",
       "f.yaml:2:1: a second document begins here; a file holds one definition\n  move it to a file of its own"},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(faults_of(c.text) == c.message);
  }
}

TEST_CASE("A file that is no YAML text is one fault") {
  CHECK(faults_of("") == "f.yaml: is empty\n  a definition is a YAML map");
  CHECK(faults_of("# only a comment\n") == "f.yaml: is empty\n  a definition is a YAML map");
  CHECK(faults_of("---\n") == "f.yaml: is empty\n  a definition is a YAML map");
  CHECK(faults_of(std::string("a: 1\nb: \0", 9)) ==
        "f.yaml: not a text file: a NUL byte in line 2\n  a definition is YAML in UTF-8");
  CHECK(faults_of("a: \x7f"
                  "ELF") == "f.yaml: not a text file: a control character in line 1\n  a definition is YAML in UTF-8");
  CHECK(faults_of("a: caf\xe9\n") ==
        "f.yaml: not a text file: bytes that are not UTF-8 in line 1\n  a definition is YAML in UTF-8");
  CHECK(faults_of("a: 1\n\tb: 2\n").starts_with("f.yaml:"));
  CHECK(faults_of("a:\n\tb: 2\n").ends_with("indent with spaces: YAML allows no tabs there"));
  CHECK(faults_of("a: [1, 2\nb: 3\n").starts_with("f.yaml:"));
  CHECK(faults_of("a: *nowhere\n").starts_with("f.yaml:1:4: not YAML: "));
}

TEST_CASE("UTF-8 is judged as RFC 3629 has it") {
  CHECK_FALSE(
      yaml::find_non_text("gr\xc3\xb6\xc3\x9f"
                          "e \xe2\x82\xac \xf0\x9f\x90\xa7"));
  for (const char* bad :
       {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80"}) {
    CHECK(yaml::find_non_text(bad));
  }
}

TEST_CASE("Aliases that multiply end at the limit, at once") {
  const auto begun = std::chrono::steady_clock::now();
  const std::string message = faults_of(alias_bomb());
  CHECK(message.find("more than 20000 values, counting what aliases repeat") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(1));
}

TEST_CASE("Depth ends at the limit, also where aliases carry it on") {
  const auto begun = std::chrono::steady_clock::now();
  CHECK(faults_of("a: " + std::string(50000, '[') + std::string(50000, ']')) ==
        "f.yaml:1:23: nested more than 20 levels deep");
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 2000; ++i) {
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  CHECK(faults_of(chain).find("nested more than 20 levels deep") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
}

TEST_CASE("A file larger than any definition is refused by its size") {
  CHECK(faults_of("a: " + std::string(300 * 1024, 'x')) == "f.yaml: larger than a definition may be (256 KiB)");
}

TEST_CASE("All faults of a document come together") {
  CHECK(faults_of("a: 1\na: 2\nb: 1\nb: 2\n") ==
        "f.yaml:2:1: the key 'a' stands twice, first in line 1\n  remove one of them\n"
        "f.yaml:4:1: the key 'b' stands twice, first in line 3\n  remove one of them");
}
