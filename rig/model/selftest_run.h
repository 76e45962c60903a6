// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the self-test's guest on this host's QEMU. Not part of what the plug-in links.
#pragma once
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/model/selftest.h"

namespace rig {

struct SelftestSetup {
  std::string qemu = "qemu-system-x86_64";
  std::filesystem::path plugin;   // build/rig-model.so
  std::filesystem::path kernel;   // any for x86-64: bzImage, or vmlinux with PVH
  std::filesystem::path initrd;   // a cpio whose /init is build/guest/rig-selftest
  std::filesystem::path scratch;  // a directory for the machine's file, the console and the report
  unsigned icount_shift = 3;
  std::chrono::milliseconds limit{std::chrono::minutes(2)};
};

// The QEMU command that run_selftest() runs.
std::vector<std::string> selftest_command(const SelftestSetup& setup, const model::MachineSpec& spec);

// A QEMU that refuses the plug-in, or does not come to its end, is the verdict's fault, in words. Throws
// HostLacks where there is no QEMU.
model::SelftestVerdict run_selftest(const SelftestSetup& setup, const model::MachineSpec& spec,
                                    std::stop_token stop = {});

// What the plug-in said when it refused to work (exit code 86), out of QEMU's standard error or log; empty
// where it did not.
std::string plugin_refusal(const std::string& qemu_log);

}  // namespace rig
