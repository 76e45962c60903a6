// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/libvirt_pins.h"

#include <fmt/format.h>
#include <libvirt/libvirt-qemu.h>
#include <libvirt/libvirt.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <set>

namespace rig {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds look_every{500};

// The process a thread is of.
pid_t process_of(pid_t thread) {
  std::ifstream status("/proc/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Tgid:\t")) return static_cast<pid_t>(std::atoi(line.c_str() + 6));
  }
  return 0;
}

std::vector<pid_t> vcpu_threads(virDomain* domain) {
  char* answer = nullptr;
  if (virDomainQemuMonitorCommand(domain, R"({"execute":"query-cpus-fast"})", &answer, 0) != 0) return {};
  auto threads = parse_vcpu_threads(answer);
  std::free(answer);
  return threads;
}

std::vector<int> cpus_of(const unsigned char* map, int bytes) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < bytes * 8; ++cpu)
    if (VIR_CPU_USED(map, cpu)) cpus.push_back(cpu);
  return cpus;
}

}  // namespace

std::vector<pid_t> parse_vcpu_threads(std::string_view text) {
  boost::system::error_code error;
  const json::value answer = json::parse({text.data(), text.size()}, error);
  const json::object* object = error ? nullptr : answer.if_object();
  const json::value* list = object != nullptr ? object->if_contains("return") : nullptr;
  if (list == nullptr || !list->is_array()) return {};
  std::vector<pid_t> threads(list->get_array().size(), 0);
  for (const json::value& entry : list->get_array()) {
    const json::object* cpu = entry.if_object();
    const json::value* index = cpu != nullptr ? cpu->if_contains("cpu-index") : nullptr;
    const json::value* thread = cpu != nullptr ? cpu->if_contains("thread-id") : nullptr;
    if (index == nullptr || thread == nullptr || !index->is_int64() || !thread->is_int64()) return {};
    const auto place = index->get_int64();
    if (place < 0 || static_cast<std::size_t>(place) >= threads.size()) return {};
    threads[static_cast<std::size_t>(place)] = static_cast<pid_t>(thread->get_int64());
  }
  const bool whole = std::all_of(threads.begin(), threads.end(), [](pid_t thread) { return thread > 0; });
  return whole ? threads : std::vector<pid_t>();
}

LibvirtPins::LibvirtPins(virDomain* domain, const Pinning& wanted) : watch_(wanted) {
  std::set<int> all;
  for (const auto& cpus : wanted.vcpus) all.insert(cpus.begin(), cpus.end());
  cpus_.assign(all.begin(), all.end());
  compare_pins(domain, wanted);
  vcpus_ = vcpu_threads(domain);
  if (vcpus_.empty()) return;  // it has ended
  if (vcpus_.size() != wanted.vcpus.size()) {
    watch_.fault(fmt::format("QEMU has threads for {} vCPUs, not {}", vcpus_.size(), wanted.vcpus.size()));
    return;
  }
  if (std::set<pid_t>(vcpus_.begin(), vcpus_.end()).size() != vcpus_.size()) {
    watch_.fault("several vCPUs share one of QEMU's threads, which cannot be pinned for each");
    return;
  }
  qemu_ = process_of(vcpus_.front());
  look();
}

void LibvirtPins::compare_pins(virDomain* domain, const Pinning& wanted) {
  const int most = std::max(virDomainGetVcpusFlags(domain, VIR_DOMAIN_VCPU_MAXIMUM), 0);
  int host_cpus = 0;
  if (const int known = virNodeGetCPUMap(virDomainGetConnect(domain), nullptr, nullptr, 0); known > 0)
    host_cpus = known;
  const int bytes = VIR_CPU_MAPLEN(host_cpus);
  if (most == 0 || bytes == 0) return;
  std::vector<unsigned char> maps(static_cast<std::size_t>(most) * static_cast<std::size_t>(bytes));
  const int pinned = virDomainGetVcpuPinInfo(domain, most, maps.data(), bytes, VIR_DOMAIN_AFFECT_LIVE);
  for (int vcpu = 0; vcpu < pinned && static_cast<std::size_t>(vcpu) < wanted.vcpus.size(); ++vcpu) {
    const auto& cpus = wanted.vcpus[static_cast<std::size_t>(vcpu)];
    const auto told = cpus_of(VIR_GET_CPUMAP(maps.data(), bytes, vcpu), bytes);
    if (told != cpus)
      watch_.fault(fmt::format("vCPU {}: wanted on CPUs {}, libvirt has pinned it to {}", vcpu, format_cpu_list(cpus),
                               format_cpu_list(told)));
  }
  std::vector<unsigned char> map(static_cast<std::size_t>(bytes));
  if (virDomainGetEmulatorPinInfo(domain, map.data(), bytes, VIR_DOMAIN_AFFECT_LIVE) != 1) return;
  const auto told = cpus_of(map.data(), bytes);
  if (told != wanted.emulator)
    watch_.fault(fmt::format("QEMU's other threads: wanted on CPUs {}, libvirt has pinned them to {}",
                             format_cpu_list(wanted.emulator), format_cpu_list(told)));
}

void LibvirtPins::look() {
  looked_ = std::chrono::steady_clock::now();
  if (qemu_ == 0) return;
  PinLook look = look_at("/proc", qemu_, vcpus_, cpus_, looked_.time_since_epoch());
  if (!look.threads.empty()) watch_.see(std::move(look), working_);
}

bool LibvirtPins::violated(bool working, bool finished) {
  const bool turned = working != working_ || finished != finished_;
  working_ = working;
  finished_ = finished;
  if (turned || std::chrono::steady_clock::now() - looked_ >= look_every) look();
  return watch_.failed();
}

}  // namespace rig
