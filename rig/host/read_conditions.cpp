// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/host/read_conditions.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "rig/base/units.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::set<std::string>& words, const char* between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// The directories cpu0, cpu1 … of sysfs, in the order of their names.
std::vector<fs::path> cpu_directories(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", error)) {
    const std::string name = entry.path().filename();
    if (name.size() > 3 && name.starts_with("cpu") &&
        std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// One word where all CPUs have the same, all of them else.
std::optional<std::string> of_all_cpus(const fs::path& root, const char* file) {
  std::set<std::string> words;
  for (const auto& cpu : cpu_directories(root)) {
    if (const auto word = first_line(cpu / file)) words.insert(*word);
  }
  if (words.empty()) return std::nullopt;
  return joined(words, ", ");
}

std::optional<std::string> boost(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  if (const auto no_turbo = first_line(cpu / "intel_pstate/no_turbo")) return *no_turbo == "0" ? "on" : "off";
  if (const auto value = first_line(cpu / "cpufreq/boost")) return *value == "0" ? "off" : "on";
  return std::nullopt;
}

// "always [madvise] never": the word in brackets.
std::optional<std::string> chosen(const std::optional<std::string>& line) {
  if (!line) return std::nullopt;
  const auto open = line->find('['), close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return line->substr(open + 1, close - open - 1);
}

// A CPU's idle states; the first CPU that has any speaks for all.
std::optional<std::string> c_states(const fs::path& root) {
  for (const auto& cpu : cpu_directories(root)) {
    std::vector<std::string> names;
    bool any = false;
    for (int state = 0;; ++state) {
      const fs::path directory = cpu / "cpuidle" / ("state" + std::to_string(state));
      const auto name = first_line(directory / "name");
      if (!name) break;
      any = true;
      if (first_line(directory / "disable").value_or("0") == "0") names.push_back(*name);
    }
    if (!any) continue;
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }
  return std::nullopt;
}

// CPUID's hypervisor bit, as /proc/cpuinfo shows it.
std::optional<std::string> nested(const fs::path& root) {
  std::ifstream stream(root / "proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "hypervisor") return "yes";
    }
    return "no";
  }
  return std::nullopt;
}

std::optional<std::uint64_t> huge_pages(const fs::path& root) {
  std::ifstream stream(root / "proc/meminfo");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("HugePages_Free:")) continue;
    std::istringstream words(line.substr(15));
    std::uint64_t pages = 0;
    if (words >> pages) return pages;
  }
  return std::nullopt;
}

// "some avg10=1.23 avg60=…"
std::optional<double> pressure(const fs::path& root) {
  const auto line = first_line(root / "proc/pressure/cpu");
  if (!line || !line->starts_with("some ")) return std::nullopt;
  const auto begin = line->find("avg10=");
  if (begin == std::string::npos) return std::nullopt;
  const std::string rest = line->substr(begin + 6);
  return parse_number(rest.substr(0, rest.find(' ')));
}

}  // namespace

std::optional<std::string> first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) {
    // an empty line of sysfs reads as such ("isolated"); a file that cannot be read is absent
    return stream.is_open() && stream.eof() && !stream.bad() && fs::is_regular_file(file)
               ? std::optional<std::string>("")
               : std::nullopt;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  return line;
}

std::map<int, CpuTimes> parse_proc_stat(const std::string& text) {
  std::map<int, CpuTimes> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("cpu")) continue;
    std::istringstream words(line.substr(3));
    int cpu = -1;
    if (line.size() > 3 && line[3] != ' ' && !(words >> cpu)) continue;
    // user nice system idle iowait irq softirq steal; guest and guest_nice are within user and nice
    std::uint64_t ticks[8] = {};
    for (auto& value : ticks) words >> value;
    CpuTimes times;
    for (const auto value : ticks) times.total += value;
    times.idle = ticks[3] + ticks[4];
    times.steal = ticks[7];
    found[cpu] = times;
  }
  return found;
}

std::set<int> idle_between(const std::map<int, CpuTimes>& before, const std::map<int, CpuTimes>& after) {
  std::set<int> idle;
  for (const auto& [cpu, now] : after) {
    const auto was = before.find(cpu);
    if (cpu < 0 || was == before.end() || now.total <= was->second.total) continue;
    const auto total = now.total - was->second.total;
    const auto quiet = now.idle >= was->second.idle ? now.idle - was->second.idle : 0;
    if (quiet * 10 >= total * 9) idle.insert(cpu);
  }
  return idle;
}

Conditions read_conditions(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  Conditions found;
  found.governor = of_all_cpus(root, "cpufreq/scaling_governor");
  found.frequency = of_all_cpus(root, "cpufreq/scaling_driver");
  found.boost = boost(root);
  found.smt = first_line(cpu / "smt/control");
  found.isolated = first_line(cpu / "isolated");
  found.nohz_full = first_line(cpu / "nohz_full");
  if (found.nohz_full && found.nohz_full->find("null") != std::string::npos) found.nohz_full = "";  // "(null)"
  found.c_states = c_states(root);
  found.numa_balancing = first_line(root / "proc/sys/kernel/numa_balancing");
  found.thp = chosen(first_line(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  found.ksm = first_line(root / "sys/kernel/mm/ksm/run");
  if (const auto poll = first_line(root / "sys/module/kvm/parameters/halt_poll_ns")) {
    const auto number = parse_integer(*poll);
    if (number && *number >= 0) found.halt_poll_ns = static_cast<std::uint64_t>(*number);
  }
  found.nested = nested(root);
  found.huge_pages = huge_pages(root);
  found.pressure = pressure(root);
  return found;
}

}  // namespace rig
