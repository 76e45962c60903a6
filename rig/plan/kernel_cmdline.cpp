// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/vm_spec.h"

namespace rig {

std::string kernel_cmdline(const Topology& topology, Accelerator accelerator, const std::vector<std::string>& boot_args,
                           int host_tsc_khz) {
  // 115200 for kernels whose console would otherwise start at 9600; panic=-1: a panic resets at
  // once, which the host sees as a reset and so tells from a power-off.
  std::vector<std::string> words = {"console=ttyS0,115200", "panic=-1"};
  if (accelerator != Accelerator::Kvm) {
    // An emulated timer's interrupt can be late on a busy host: believe in it. And take the TSC,
    // the only clock that costs no device access, without a watchdog that compares it with others.
    words.push_back("no_timer_check");
    words.push_back("tsc=reliable");
    // In virtual time the TSC counts nanoseconds, exactly; with one thread a vCPU it is the host's.
    // Measured by the guest itself it would be wrong whenever the host is busy.
    // The modelled machine's counts its own core clock.
    if (accelerator == Accelerator::Model)
      words.push_back("tsc_early_khz=" + std::to_string(topology.mhz * 1000));
    else if (accelerator == Accelerator::Tcg)
      words.push_back("tsc_early_khz=1000000");
    else if (host_tsc_khz > 0)
      words.push_back("tsc_early_khz=" + std::to_string(host_tsc_khz));
  }
  if (topology.peer) words.push_back("isolcpus=" + format_cpu_list(peer_cpus(topology)));
  words.insert(words.end(), boot_args.begin(), boot_args.end());
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace rig
