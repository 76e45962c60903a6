// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/config.h"

#include <catch2/catch_test_macros.hpp>

using namespace rig;
using namespace rig::kernel;

namespace {

std::vector<ConfigLine> lines(std::string_view text) {
  std::vector<Diagnostic> faults;
  auto result = parse_fragment("x.config", text, faults);
  REQUIRE(faults.empty());
  return result;
}

std::vector<Diagnostic> faults_of(std::string_view text) {
  std::vector<Diagnostic> faults;
  parse_fragment("x.config", text, faults);
  return faults;
}

}  // namespace

TEST_CASE("A fragment holds values, symbols that are not set, and comments") {
  const auto request = lines(
      "# A comment\n"
      "\n"
      "CONFIG_SMP=y\n"
      "# CONFIG_MODULES is not set\n"
      "CONFIG_NR_CPUS=64\n"
      "CONFIG_PHYSICAL_START=0x1000000\n"
      "CONFIG_DEFAULT_HOSTNAME=\"a # \\\" b\"\n"
      "CONFIG_RSEQ=y  # optional\n"
      "CONFIG_LAST=n");
  REQUIRE(request.size() == 7);
  CHECK(allconfig_text(request) ==
        "CONFIG_SMP=y\n"
        "# CONFIG_MODULES is not set\n"
        "CONFIG_NR_CPUS=64\n"
        "CONFIG_PHYSICAL_START=0x1000000\n"
        "CONFIG_DEFAULT_HOSTNAME=\"a # \\\" b\"\n"
        "# optional:\n"
        "CONFIG_RSEQ=y\n"
        "# CONFIG_LAST is not set\n");
  CHECK(request[0].pos.line == 3);
  CHECK(request[5].optional);
  CHECK_FALSE(request[4].optional);
}

TEST_CASE("Every line that is no configuration is named with its place") {
  const auto faults = faults_of("CONFIG_A=y\nSMP=y\nCONFIG_B=yes\nCONFIG_C=\"open\nnonsense\nCONFIG_D=\nCONFIG_=y\n");
  REQUIRE(faults.size() == 6);
  CHECK(faults[0].pos.line == 2);
  CHECK(faults[1].pos.line == 3);
  CHECK(faults[1].pos.column == 10);
  CHECK(faults[1].message == "CONFIG_B cannot have the value 'yes'");
  CHECK(faults[1].allowed.find("\"quoted string\"") != std::string::npos);
  CHECK(faults[5].pos.line == 7);
}

TEST_CASE("One fragment may repeat a symbol but not contradict itself") {
  CHECK(faults_of("CONFIG_A=y\nCONFIG_A=y\n").empty());
  const auto faults = faults_of("CONFIG_A=y\n\n# CONFIG_A is not set\n");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].pos.line == 3);
  CHECK(faults[0].message == "CONFIG_A has the value y already in line 1");
}

TEST_CASE("Later fragments win, and set: wins over all of them") {
  std::vector<Diagnostic> faults;
  const auto set = parse_set({{"CONFIG_HZ_250", "n"}, {"CONFIG_HZ_1000", "y"}}, faults);
  REQUIRE(faults.empty());
  const auto request =
      merge_config({lines("CONFIG_SMP=y\nCONFIG_NUMA=y\nCONFIG_HZ_250=y\n"), lines("# CONFIG_NUMA is not set\n"), set});
  CHECK(allconfig_text(request) ==
        "CONFIG_SMP=y\n"
        "# CONFIG_NUMA is not set\n"
        "CONFIG_HZ_1000=y\n"
        "# CONFIG_HZ_250 is not set\n");
  CHECK(asked_value(request, "CONFIG_NUMA") == "n");
  CHECK(asked_value(request, "CONFIG_VT").empty());
}

TEST_CASE("set: refuses keys and values that Kconfig would drop in silence") {
  std::vector<Diagnostic> faults;
  parse_set({{"BLD", "y"}, {"CONFIG_HOST", "rig"}, {"CONFIG_OK", "\"rig\""}}, faults);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].path == "config.set.BLD");
  CHECK(faults[1].path == "config.set.CONFIG_HOST");
}

TEST_CASE("What did not stick is found symbol by symbol") {
  // As the kernel writes it.
  const auto config = parse_dotconfig(
      "#\n# Automatically generated file; DO NOT EDIT.\n# Linux/x86 6.1.0 Kernel Configuration\n#\n"
      "CONFIG_SMP=y\n# CONFIG_NUMA is not set\nCONFIG_NR_CPUS=64\nCONFIG_PHYSICAL_ALIGN=0x200000\n"
      "CONFIG_LOCALVERSION=\"\"\nCONFIG_VT=y\nCONFIG_E1000=y\n");
  const auto request = lines(
      "CONFIG_SMP=y\nCONFIG_NUMA=y\nCONFIG_NR_CPUS=32\nCONFIG_PHYSICAL_ALIGN=0x00200000\nCONFIG_LOCALVERSION=\"\"\n"
      "# CONFIG_VT is not set\n# CONFIG_UNKNOWN is not set\nCONFIG_E1000=m\nCONFIG_GONE=y\n");
  const auto wrong = unstuck(request, config);
  std::vector<std::string> text;
  for (const auto& fault : wrong) text.push_back(fault.asked.symbol + " " + fault.asked.value + " " + fault.got);
  CHECK(text == std::vector<std::string>{"CONFIG_NUMA y not set", "CONFIG_NR_CPUS 32 64", "CONFIG_VT n y",
                                         "CONFIG_E1000 m y", "CONFIG_GONE y not set"});
}

TEST_CASE("A line can be meant for a range of kernel versions") {
  const auto request = lines(
      "CONFIG_EXPERT=y  # since 2.6.38\n"
      "CONFIG_EMBEDDED=y  # before 2.6.38\n"
      "CONFIG_GROUP_SCHED=y  # since 2.6.25 before 2.6.37\n"
      "# CONFIG_CC_OPTIMIZE_FOR_SIZE is not set  # before 4.7\n"
      "CONFIG_SMP=y  # all have it\n");
  REQUIRE(request.size() == 5);
  const auto text = [&](KernelVersion version) { return allconfig_text(lines_for(request, version)); };
  CHECK(text({2, 6, 22}) == "CONFIG_EMBEDDED=y\n# CONFIG_CC_OPTIMIZE_FOR_SIZE is not set\nCONFIG_SMP=y\n");
  CHECK(text({2, 6, 38}) == "CONFIG_EXPERT=y\n# CONFIG_CC_OPTIMIZE_FOR_SIZE is not set\nCONFIG_SMP=y\n");
  CHECK(text({6, 1, 0}) == "CONFIG_EXPERT=y\nCONFIG_SMP=y\n");
  CHECK(left_out(request, KernelVersion{6, 1, 0}) ==
        std::vector<std::string>{"CONFIG_EMBEDDED (before 2.6.38)", "CONFIG_GROUP_SCHED (2.6.25 to before 2.6.37)",
                                 "CONFIG_CC_OPTIMIZE_FOR_SIZE (before 4.7)"});
}

TEST_CASE("A symbol may have another value for other versions, but two for none") {
  CHECK(faults_of("CONFIG_NR_CPUS=64  # since 3.0\nCONFIG_NR_CPUS=32  # before 3.0\n").empty());
  const auto faults = faults_of("CONFIG_NR_CPUS=64  # since 3.0\nCONFIG_NR_CPUS=32  # before 3.1\n");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].message == "CONFIG_NR_CPUS has the value 64 already in line 1");
}

TEST_CASE("A range that cannot be read is a fault with its place") {
  for (const char* comment : {"since", "since x", "before 3", "since 3.0 before", "since 3.0 before 2.6.38",
                              "since 3.0 since 3.1", "since 3.0, until 4.0"}) {
    INFO(comment);
    const auto faults = faults_of(std::string("CONFIG_A=y\nCONFIG_B=y  # ") + comment + "\n");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].pos.line == 2);
    CHECK(faults[0].pos.column == 15);
    CHECK(faults[0].allowed == "since 2.6.38, before 3.10, or since 2.6.25 before 3.10");
  }
}
