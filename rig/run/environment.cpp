// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/environment.h"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace rig {
namespace {

// The first line of a small file of the kernel's, or "absent".
std::string line_of(const char* file) {
  std::ifstream stream(file);
  std::string line;
  return std::getline(stream, line) ? line : "absent";
}

std::string cpu_model() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "absent";
}

}  // namespace

std::map<std::string, std::string> survey_environment(const QemuAbilities& qemu) {
  utsname name{};
  ::uname(&name);
  return {
      {"host-cpu", cpu_model()},
      {"host-cpus", std::to_string(std::thread::hardware_concurrency())},
      {"host-kernel", std::string(name.sysname) + " " + name.release + " " + name.machine},
      {"qemu", qemu.version},
      {"libvirt", libvirt_version()},
      {"load-at-start", line_of("/proc/loadavg")},
      {"governor", line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
      {"boost", line_of("/sys/devices/system/cpu/cpufreq/boost")},
      {"smt", line_of("/sys/devices/system/cpu/smt/control")},
      {"isolated-cpus", line_of("/sys/devices/system/cpu/isolated")},
      {"numa-balancing", line_of("/proc/sys/kernel/numa_balancing")},
      {"thp", line_of("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"ksm", line_of("/sys/kernel/mm/ksm/run")},
      {"aslr", line_of("/proc/sys/kernel/randomize_va_space")},
  };
}

}  // namespace rig
