// SPDX-License-Identifier: GPL-2.0-or-later
// The texts are what QEMU 10.0.2 and 7.2.19 print.
#include "rig/vm/qemu_abilities.h"

#include <catch2/catch_test_macros.hpp>

#include "rig/vm/vm.h"

using namespace rig;

TEST_CASE("QEMU's version is read from its own words") {
  CHECK(qemu_version("QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2+deb13u1~bpo12+1)\nCopyright (c) …\n") ==
        "10.0.2");
  CHECK(qemu_version("QEMU emulator version 7.2.19\n") == "7.2.19");
  CHECK(qemu_version("qemu: command not found") == "");
}

TEST_CASE("A machine's property is found as a whole word only") {
  const std::string help =
      "pc-q35-10.0-machine options:\n  smm=<OnOffAuto>        - Enable SMM\n"
      "  smp=<SMPConfiguration> - CPU topology\n"
      "  smp-cache=<SmpCachePropertiesWrapper> - Cache properties list for SMP machine\n";
  CHECK(has_machine_property(help, "smp-cache"));
  CHECK(has_machine_property(help, "smp"));
  CHECK_FALSE(has_machine_property(help, "cache"));
  CHECK_FALSE(has_machine_property("  smp=<SMPConfiguration> - CPU topology\n", "smp-cache"));
}

TEST_CASE("An option is known by its line in QEMU's help") {
  // of qemu-system-x86_64 -help, 10.0.2
  const std::string help =
      "-sandbox on[,obsolete=allow|deny]\n"
      "                use 'obsolete' to allow\n"
      "-plugin [file=]<file>[,<argname>=<argvalue>]\n"
      "                load a plugin\n";
  CHECK(has_option(help, "plugin"));
  CHECK(has_option(help, "sandbox"));
  CHECK_FALSE(has_option(help, "plug"));
  CHECK_FALSE(has_option("                see -plugin below\n", "plugin"));
}

TEST_CASE("The QEMU of this host tells what it can") {
  const QemuAbilities found = probe_qemu();
  CHECK(found.binary.front() == '/');
  CHECK(found.version.find('.') != std::string::npos);
}

TEST_CASE("The CPU models are those that QEMU lists, without the flags behind them") {
  // of qemu-system-x86_64 -cpu help, 10.0.2
  const auto models = rig::cpu_models(
      "Available CPUs:\n"
      "  486                   (alias configured by machine type)\n"
      "  Penryn-v1             Intel Core 2 Duo P9xxx (Penryn Class Core 2)\n"
      "  Penryn                (alias configured by machine type)\n"
      "  max                   Enables all features supported by the accelerator in the current host\n"
      "\n"
      "Recognized CPUID flags:\n"
      "  3dnow 3dnowext 3dnowprefetch abm\n");
  CHECK(models == std::vector<std::string>{"486", "Penryn", "Penryn-v1", "max"});
  CHECK(rig::cpu_models("").empty());
}
