// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "rig/base/base.h"
#include "rig/host/host.h"
#include "rig/host/hwloc_topology.h"
#include "rig/host/load_live.h"
#include "rig/host/read_conditions.h"
#include "rig/topology/topology.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

constexpr auto sampling = std::chrono::milliseconds(100);

// The kernel's affinity mask; it may be wider than cpu_set_t.
std::set<unsigned> own_affinity() {
  for (int cpus = 1024; cpus <= 1 << 16; cpus *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<std::size_t>(cpus)),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    if (!set) break;
    CPU_ZERO_S(size, set.get());
    if (sched_getaffinity(0, size, set.get()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::set<unsigned> found;
    for (int cpu = 0; cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) found.insert(static_cast<unsigned>(cpu));
    }
    return found;
  }
  return {};
}

// Linux's own bound of x86-64 (NR_CPUS).
constexpr std::uint64_t most_cpus = 8192;

// How many CPUs a synthetic description comes to: the product of its levels' counts, attributes left out. hwloc would
// try to make any number of them.
std::uint64_t described_cpus(const std::string& description) {
  std::uint64_t product = 1;
  int inside = 0;
  for (std::size_t at = 0; at < description.size() && product <= most_cpus; ++at) {
    const char c = description[at];
    if (c == '(' || c == '[') ++inside;
    if (c == ')' || c == ']') --inside;
    const bool begins = at == 0 || description[at - 1] == ':' || description[at - 1] == ' ';
    if (inside != 0 || !begins || c < '0' || c > '9') continue;
    std::uint64_t count = 0;
    for (std::size_t i = at; i < description.size() && description[i] >= '0' && description[i] <= '9'; ++i)
      count = std::min(most_cpus + 1, count * 10 + static_cast<std::uint64_t>(description[i] - '0'));
    product *= std::max<std::uint64_t>(count, 1);
  }
  return product;
}

std::string shortened(const std::string& text) { return text.size() > 200 ? text.substr(0, 200) + "…" : text; }

bool holds(const std::vector<int>& sorted, unsigned cpu) {
  return std::binary_search(sorted.begin(), sorted.end(), static_cast<int>(cpu));
}

void mark_isolated(Host& host) {
  if (!host.conditions.isolated) return;
  const auto isolated = parse_cpu_list(*host.conditions.isolated);
  if (!isolated) {
    host.notes.push_back("which CPUs are isolated is not understood: " + *host.conditions.isolated);
    return;
  }
  for (auto& cpu : host.cpus) cpu.isolated = holds(*isolated, cpu.os);
}

// One value of the environment for as long as hwloc reads it; hwloc has no call for its root.
class EnvironmentValue {
 public:
  EnvironmentValue(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~EnvironmentValue() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  EnvironmentValue(const EnvironmentValue&) = delete;
  EnvironmentValue& operator=(const EnvironmentValue&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

[[noreturn]] void throw_unreadable(const fs::path& root) {
  throw HostLacks(fmt::format("hwloc cannot read the CPUs of this host below {}", root.string()),
                  "mount /proc and /sys, or name a captured host: --host FILE.xml");
}

}  // namespace

HwlocTopology load_live(const fs::path& root) {
  HwlocTopology topology = new_topology();
  if (root == "/") {
    if (hwloc_topology_load(topology.get()) != 0) throw_unreadable(root);
    // cgroups are hwloc's own work; what taskset took away is not
    const auto affinity = own_affinity();
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology.get());
    const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> both(hwloc_bitmap_dup(allowed), hwloc_bitmap_free);
    for (int i = hwloc_bitmap_first(allowed); i >= 0 && both && !affinity.empty(); i = hwloc_bitmap_next(allowed, i)) {
      if (!affinity.contains(static_cast<unsigned>(i))) hwloc_bitmap_clr(both.get(), static_cast<unsigned>(i));
    }
    if (both && hwloc_bitmap_iszero(both.get()) == 0) {
      hwloc_topology_allow(topology.get(), both.get(), nullptr, HWLOC_ALLOW_FLAG_CUSTOM);
    }
    return topology;
  }
  if (!fs::is_directory(root / "sys")) {
    throw WorkError(fmt::format("{} is no copy of a host: it has no directory sys", root.string()));
  }
  const EnvironmentValue copy("HWLOC_FSROOT", root.string());
  hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(topology.get()) != 0) throw_unreadable(root);
  return topology;
}

Host survey_live(const fs::path& root) {
  Host host = to_host(load_live(root).get());
  host.source = root == "/" ? "live" : root.string();
  host.conditions = read_conditions(root);
  mark_isolated(host);
  if (root != "/") return host;
  std::error_code error;
  if (!fs::is_regular_file("/proc/stat", error)) return host;
  const auto before = parse_proc_stat(read_file("/proc/stat"));
  std::this_thread::sleep_for(sampling);
  const auto after = parse_proc_stat(read_file("/proc/stat"));
  const auto idle = idle_between(before, after);
  for (auto& cpu : host.cpus) {
    if (after.contains(static_cast<int>(cpu.os))) cpu.idle = idle.contains(static_cast<int>(cpu.os));
  }
  if (before.contains(-1) && after.contains(-1) && after.at(-1).total > before.at(-1).total) {
    const auto share = [&](std::uint64_t CpuTimes::* field) {
      const double now = static_cast<double>(after.at(-1).*field), was = static_cast<double>(before.at(-1).*field);
      return 100.0 * std::max(0.0, now - was) / static_cast<double>(after.at(-1).total - before.at(-1).total);
    };
    host.conditions.steal = share(&CpuTimes::steal);
    host.conditions.busy = std::max(0.0, 100.0 - share(&CpuTimes::idle));
  }
  return host;
}

Host survey_xml(const fs::path& file) {
  const HwlocTopology topology = load_xml(file);
  Host host = to_host(topology.get());
  host.source = file.string();
  mark_isolated(host);
  const std::string name = std::string(condition_prefix) + "idle CPUs";
  if (const char* idle = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology.get()), name.c_str())) {
    if (const auto cpus = parse_cpu_list(idle)) {
      for (auto& cpu : host.cpus) cpu.idle = holds(*cpus, cpu.os);
    }
  }
  return host;
}

Host survey_synthetic(const std::string& description) {
  if (described_cpus(description) > most_cpus)
    throw InputError(
        fmt::format("'{}' has more than {} CPUs: no Linux host has as many", shortened(description), most_cpus));
  HwlocTopology topology = new_topology();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    throw InputError(
        fmt::format("'{}' is no synthetic host\n  allowed: hwloc's levels from the outside in, each with its count, "
                    "as in \"package:2 l3:1 core:4 pu:2\" or \"package:1 numa:2(memory=8GB) l2:2 core:2 pu:1\"",
                    shortened(description)));
  }
  Host host = to_host(topology.get());
  host.source = "synthetic:" + description;
  if (description.find("memory=") == std::string::npos) {
    for (auto& node : host.nodes) node.memory.reset();
  }
  return host;
}

Host survey(const std::string& word) {
  constexpr std::string_view synthetic = "synthetic:";
  if (word == "live") return survey_live();
  if (word.starts_with(synthetic)) return survey_synthetic(word.substr(synthetic.size()));
  std::error_code error;
  if (!fs::exists(word, error)) {
    throw InputError(
        fmt::format("'{}' is no host\n  allowed: live (this machine), a file that lstopo FILE.xml wrote, "
                    "or synthetic: with hwloc's description, as in \"synthetic:package:2 l3:1 core:4 pu:2\"",
                    word));
  }
  return survey_xml(word);
}

const HostCpu* find_cpu(const Host& host, unsigned os) {
  const auto found = std::lower_bound(host.cpus.begin(), host.cpus.end(), os,
                                      [](const HostCpu& cpu, unsigned wanted) { return cpu.os < wanted; });
  return found != host.cpus.end() && found->os == os ? &*found : nullptr;
}

const HostNode* find_node(const Host& host, unsigned os) {
  for (const auto& node : host.nodes) {
    if (node.os == os) return &node;
  }
  return nullptr;
}

std::vector<unsigned> usable_cpus(const Host& host) {
  std::vector<unsigned> found;
  for (const auto& cpu : host.cpus) {
    if (cpu.usable()) found.push_back(cpu.os);
  }
  return found;
}

}  // namespace rig
