// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/kconfig.h"

#include <catch2/catch_test_macros.hpp>

using namespace rig;
using namespace rig::kernel;

namespace {

const std::string text = R"kconfig(# SPDX-License-Identifier: GPL-2.0
mainmenu "Linux"

menuconfig PCI
	bool "PCI support"
	depends on HAVE_PCI
	help
	  This option enables support for the PCI local bus.

	  config FAKE
	    never an entry: it is prose

config X86_MCE_INTEL
	def_bool y
	prompt "Intel MCE features"
	depends on X86_MCE && X86_LOCAL_APIC
	help
	   Additional support for intel specific MCE features.

config VT
	bool "Virtual terminal" if EXPERT
	select INPUT
	default y

config INPUT
	tristate "Generic input layer" if EXPERT
	default y

config CRC16
	tristate

if NET_VENDOR_INTEL
menu "Cards"
	depends on PCI
config E1000
	tristate "Intel(R) PRO/1000 Gigabit Ethernet support"
	depends on !UML && \
		   (ETHERNET || NET_CORE)
endmenu
endif

choice
	prompt "Preemption Model"
	default PREEMPT_NONE
config PREEMPT_NONE
	bool "No Forced Preemption (Server)"
config PREEMPT_VOLUNTARY
	bool "Voluntary Kernel Preemption (Desktop)"
	depends on !ARCH_NO_PREEMPT
endchoice
)kconfig";

Kconfig parsed() {
  Kconfig kconfig;
  parse_kconfig("drivers/Kconfig", text, kconfig);
  return kconfig;
}

std::string reason_for(const std::string& symbol, const std::string& asked, const std::string& got,
                       const std::string& config) {
  return reason({{symbol, asked, false, {}}, got}, parsed(), parse_dotconfig(config));
}

}  // namespace

TEST_CASE("Expressions of Kconfig hold as Kconfig says") {
  const DotConfig config = parse_dotconfig("CONFIG_A=y\nCONFIG_M=m\nCONFIG_S=\"x\"\nCONFIG_N=64\n");
  CHECK(holds("A && M", config));
  CHECK(holds("B || A", config));
  CHECK_FALSE(holds("A && !M", config));
  CHECK_FALSE(holds("B || (A && !A)", config));
  CHECK(holds("A || B && B", config));  // && binds closer
  CHECK(holds("S = \"\\\"x\\\"\" || A=y", config));
  CHECK(holds("B=n", config));
  CHECK_FALSE(holds("A!=y", config));
  CHECK(holds("$(cc-option,-fno-x)", config));  // not understood: nothing is claimed
  CHECK(holds("A && (B", config));
  CHECK(symbols_in("A && (!B || C=y)") == std::vector<std::string>{"A", "B", "C"});
  CHECK(holds(std::string(100000, '('), config));
  CHECK(holds(std::string(100000, '!') + "B", config));
}

TEST_CASE("An unmet dependency is shown with its place and what is missing") {
  CHECK(reason_for("CONFIG_X86_MCE_INTEL", "y", "not set", "CONFIG_X86_LOCAL_APIC=y\n") ==
        "it depends on X86_MCE && X86_LOCAL_APIC (drivers/Kconfig:13), and CONFIG_X86_MCE is not set, "
        "CONFIG_X86_LOCAL_APIC=y");
}

TEST_CASE("Conditions of the menus and ifs around a symbol count as its own") {
  CHECK(reason_for("CONFIG_E1000", "y", "not set", "CONFIG_ETHERNET=y\nCONFIG_PCI=y\n") ==
        "it depends on NET_VENDOR_INTEL (drivers/Kconfig:35), and CONFIG_NET_VENDOR_INTEL is not set");
  CHECK(reason_for("CONFIG_E1000", "y", "not set", "CONFIG_NET_VENDOR_INTEL=y\nCONFIG_PCI=y\n")
            .starts_with("it depends on !UML &&"));
}

TEST_CASE("A symbol that this kernel does not have is told, with the nearest one") {
  const auto faults =
      config_faults({{{"CONFIG_PREEMPT_VOLUNTRY", "y", false, {"x.config", 7, 1}}, "not set"}}, parsed(), {});
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].message == "CONFIG_PREEMPT_VOLUNTRY asked y, got not set: no such symbol in this kernel");
  CHECK(faults[0].suggestion == "did you mean CONFIG_PREEMPT_VOLUNTARY?");
  CHECK(faults[0].pos.line == 7);
}

TEST_CASE("An optional symbol may be unknown, but not dropped where it is known") {
  const Kconfig kconfig = parsed();
  CHECK(config_faults({{{"CONFIG_RSEQ", "y", true, {}}, "not set"}}, kconfig, {}).empty());
  CHECK(config_faults({{{"CONFIG_E1000", "y", true, {}}, "not set"}}, kconfig, {}).size() == 1);
}

TEST_CASE("Prompts that are closed, selects and choices are reasons") {
  CHECK(reason_for("CONFIG_VT", "n", "y", "CONFIG_VT=y\n") == "it can be set only if EXPERT (drivers/Kconfig:20)");
  CHECK(reason_for("CONFIG_INPUT", "n", "y", "CONFIG_VT=y\nCONFIG_INPUT=y\nCONFIG_EXPERT=y\n") ==
        "selected by CONFIG_VT");
  CHECK(reason_for("CONFIG_CRC16", "y", "not set", "") ==
        "it has no prompt (drivers/Kconfig:29): only other symbols can set it");
  CHECK(reason_for("CONFIG_PREEMPT_VOLUNTARY", "y", "not set", "CONFIG_PREEMPT_NONE=y\n") ==
        "its choice has taken CONFIG_PREEMPT_NONE (of a choice one can be y: to take another than a fragment's, also "
        "set that one "
        "to n)");
  CHECK(reason_for("CONFIG_E1000", "m", "y",
                   "CONFIG_NET_VENDOR_INTEL=y\nCONFIG_PCI=y\nCONFIG_ETHERNET=y\nCONFIG_E1000=y\n") ==
        "CONFIG_MODULES is not set");
}

TEST_CASE("The prose of a help text defines nothing") {
  const Kconfig kconfig = parsed();
  CHECK(kconfig.entries.count("FAKE") == 0);
  CHECK(kconfig.entries.size() == 8);
}

TEST_CASE("Kconfig of before 2.6.24 says depends without on") {
  Kconfig kconfig;
  parse_kconfig("drivers/net/Kconfig", "config OLD\n\tbool \"Old\"\n\tdepends PCI && EXPERIMENTAL\n", kconfig);
  REQUIRE(kconfig.entries["OLD"].size() == 1);
  CHECK(kconfig.entries["OLD"][0].depends == std::vector<std::string>{"PCI && EXPERIMENTAL"});
}
