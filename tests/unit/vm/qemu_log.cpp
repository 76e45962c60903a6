// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/qemu_log.h"

#include <catch2/catch_test_macros.hpp>

using namespace rig;

TEST_CASE("QEMU's log as libvirt 11.3 begins it is kept without the host's name") {
  const std::string start =
      "2026-12-01 03:37:43.235+0000: starting up libvirt version: 11.3.0, package: 11.3.0-2~bpo12+1 (Debian), qemu "
      "version: 10.0.2Debian 1:10.0.2+ds-2+deb13u1~bpo12+1, kernel: 6.18.44";
  const std::string rest = "LC_ALL=C \\\n/usr/bin/qemu-system-x86_64 \\\n-name guest=rig, hostname: x\n";
  CHECK(without_host_name(start + ", hostname: build7.example.org\n" + rest) == start + "\n" + rest);
  CHECK(without_host_name(start + ", hostname: vm") == start);
  CHECK(without_host_name(rest) == rest);
  CHECK(without_host_name("").empty());
}
