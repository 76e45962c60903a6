// SPDX-License-Identifier: GPL-2.0-or-later
// Looks at /proc. Its files are read as a whole in one call each, so that a thread that ends meanwhile gives
// all or nothing.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

#include "rig/vm/pin_watch.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  return text.str();
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t:"), text.size()));
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// The rest of the line that begins with these words.
std::optional<std::string_view> line_after(std::string_view text, std::string_view begin) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(begin)) return line.substr(begin.size());
    at = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    if (text.empty()) return words;
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<ThreadLook> look_at_thread(const fs::path& directory, pid_t tid) {
  ThreadLook thread{.tid = tid};
  const std::string status = text_of(directory / "status"), stat = text_of(directory / "stat");
  const auto allowed = line_after(status, "Cpus_allowed_list:\t");
  const auto cpus = allowed ? parse_cpu_list(*allowed) : std::nullopt;
  const auto cpu = last_cpu(stat);
  if (!cpus || !cpu) return std::nullopt;
  thread.allowed = *cpus;
  thread.cpu = *cpu;
  thread.name = line_after(status, "Name:\t").value_or("");
  thread.voluntary_switches = counter_after(status, "voluntary_ctxt_switches").value_or(0);
  thread.involuntary_switches = counter_after(status, "nonvoluntary_ctxt_switches").value_or(0);
  thread.migrations = counter_after(text_of(directory / "sched"), "se.nr_migrations");
  const std::string schedstat = text_of(directory / "schedstat");
  const auto times = words_of(schedstat);  // on a CPU, waiting, both ns; slices
  if (times.size() >= 2) {
    const auto ran = number_in<std::int64_t>(times[0]), waited = number_in<std::int64_t>(times[1]);
    if (ran && waited) {
      thread.ran = std::chrono::nanoseconds(*ran);
      thread.waited = std::chrono::nanoseconds(*waited);
    }
  }
  return thread;
}

}  // namespace

std::optional<std::uint64_t> counter_after(std::string_view text, std::string_view name) {
  const auto rest = line_after(text, name);
  return rest ? number_in<std::uint64_t>(*rest) : std::nullopt;
}

std::optional<int> last_cpu(std::string_view stat) {
  // the name in brackets may hold anything, brackets too; field 3 is the first behind it
  const std::size_t after = stat.rfind(')');
  if (after == std::string_view::npos) return std::nullopt;
  const auto words = words_of(stat.substr(after + 1));
  return words.size() > 36 ? number_in<int>(words[36]) : std::nullopt;
}

std::optional<std::chrono::microseconds> pressure_total(std::string_view text) {
  const auto some = line_after(text, "some ");
  const std::size_t at = some ? some->find("total=") : std::string_view::npos;
  const auto total = at == std::string_view::npos ? std::nullopt : number_in<std::int64_t>(some->substr(at + 6));
  return total ? std::optional(std::chrono::microseconds(*total)) : std::nullopt;
}

void add_steal(HostLook& host, std::string_view stat, const std::vector<int>& cpus) {
  // user nice system idle iowait irq softirq steal; guest time is in user's (proc(5))
  constexpr std::size_t counted = 8, steal = 7;
  for (const int cpu : cpus) {
    const auto line = line_after(stat, "cpu" + std::to_string(cpu) + " ");
    const auto words = line ? words_of(*line) : std::vector<std::string_view>();
    for (std::size_t i = 0; i < std::min(words.size(), counted) && words.size() > steal; ++i) {
      const std::uint64_t ticks = number_in<std::uint64_t>(words[i]).value_or(0);
      host.ticks = host.ticks.value_or(0) + ticks;
      if (i == steal) host.steal = host.steal.value_or(0) + ticks;
    }
  }
}

PinLook look_at(const fs::path& proc, pid_t qemu, const std::vector<pid_t>& vcpus, const std::vector<int>& cpus,
                std::chrono::nanoseconds at) {
  PinLook look{.at = at};
  const fs::path tasks = proc / std::to_string(qemu) / "task";
  std::error_code error;
  for (fs::directory_iterator it(tasks, error), end; !error && it != end; it.increment(error)) {
    const auto tid = number_in<pid_t>(it->path().filename().string());
    auto thread = tid ? look_at_thread(it->path(), *tid) : std::nullopt;
    if (!thread) continue;
    const auto vcpu = std::find(vcpus.begin(), vcpus.end(), *tid);
    if (vcpu != vcpus.end()) thread->vcpu = static_cast<int>(vcpu - vcpus.begin());
    look.threads.push_back(std::move(*thread));
  }
  std::sort(look.threads.begin(), look.threads.end(),
            [](const ThreadLook& a, const ThreadLook& b) { return a.tid < b.tid; });
  add_steal(look.host, text_of(proc / "stat"), cpus);
  look.host.cpu_pressure = pressure_total(text_of(proc / "pressure/cpu"));
  look.host.memory_pressure = pressure_total(text_of(proc / "pressure/memory"));
  look.host.io_pressure = pressure_total(text_of(proc / "pressure/io"));
  return look;
}

}  // namespace rig
