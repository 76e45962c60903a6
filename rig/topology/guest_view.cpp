// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/topology/guest_view.h"

#include <algorithm>
#include <set>

#include "rig/base/error.h"
#include "rig/base/units.h"

namespace rig {
namespace {

// A hostile guest could send any number of lines; a machine of 512 CPUs needs fewer than this.
constexpr std::size_t max_lines = 20000;

[[noreturn]] void refuse(std::string_view line) {
  throw WorkError("the guest's view has a line that cannot be understood: " + std::string(line.substr(0, 120)));
}

// The key=value words of a line, read with what is expected of each.
class Words {
 public:
  Words(std::string_view line, std::string_view text) : line_(line) {
    while (!text.empty()) {
      const auto end = std::min(text.find(' '), text.size());
      const auto word = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (word.empty()) continue;
      const auto equals = word.find('=');
      if (equals == std::string_view::npos)
        positional_.emplace_back(word);
      else
        values_[std::string(word.substr(0, equals))] = std::string(word.substr(equals + 1));
    }
  }
  int index() const {
    if (positional_.size() != 1) refuse(line_);
    return whole(positional_[0]);
  }
  std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "?" : found->second;
  }
  std::optional<int> number(const std::string& key) const {
    const std::string value = text(key);
    // -1 is what sysfs prints where the kernel has no answer
    if (value == "?" || value == "-1") return std::nullopt;
    return whole(value);
  }
  int needed(const std::string& key) const {
    const auto value = number(key);
    if (!value) refuse(line_);
    return *value;
  }
  std::vector<int> cpus(const std::string& key) const {
    const std::string value = text(key);
    if (value == "?") return {};
    const auto list = parse_cpu_list(value);
    if (!list) refuse(line_);
    return *list;
  }
  std::vector<int> numbers(const std::string& key) const {
    std::vector<int> result;
    std::string value = text(key);
    if (value == "?") return result;
    std::replace(value.begin(), value.end(), ',', ' ');
    for (const auto& word : Words(line_, value).positional_) result.push_back(whole(word));
    return result;
  }

 private:
  int whole(std::string_view text) const {
    const auto value = parse_integer(text);
    if (!value || *value < 0 || *value > 1 << 30) refuse(line_);
    return static_cast<int>(*value);
  }
  std::string_view line_;
  std::vector<std::string> positional_;
  std::map<std::string, std::string> values_;
};

}  // namespace

GuestView parse_guest_view(std::string_view text) {
  GuestView view;
  std::size_t lines = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (++lines > max_lines) throw WorkError("the guest's view has more than " + std::to_string(max_lines) + " lines");
    const auto space = line.find(' ');
    if (space == std::string_view::npos) refuse(line);
    const auto key = line.substr(0, space);
    const std::string rest(line.substr(space + 1));
    const auto words = [&] { return Words(line, rest); };
    if (key == "release")
      view.release = rest;
    else if (key == "machine")
      view.machine = rest;
    else if (key == "version")
      view.version = rest;
    else if (key == "config-sha256")
      view.config_sha256 = rest;
    else if (key == "cmdline")
      view.cmdline = rest;
    else if (key == "clocksource")
      view.clocksource = rest;
    else if (key == "lapic")
      view.lapic = rest;
    else if (key == "warning")
      view.warnings.push_back(rest);
    else if (key == "memory-kb") {
      const auto value = parse_integer(rest);
      if (!value || *value < 0) refuse(line);
      view.memory_kb = static_cast<std::uint64_t>(*value);
    } else if (key == "cpu") {
      const auto w = words();
      view.cpus.push_back({w.index(), w.number("package"), w.number("die"), w.number("cluster"), w.number("core"),
                           w.number("node"), w.cpus("siblings"), w.number("apic")});
    } else if (key == "cache") {
      const auto w = words();
      GuestCache cache{w.needed("cpu"),  w.needed("level"), w.text("type"),  std::nullopt,
                       w.number("line"), w.number("ways"),  w.cpus("shared")};
      if (const auto kb = w.number("size-kb")) cache.size = static_cast<std::uint64_t>(*kb) * 1024;
      view.caches.push_back(cache);
    } else if (key == "node") {
      const auto w = words();
      view.nodes.push_back({w.index(), w.cpus("cpus"), w.numbers("distances")});
    } else if (key == "domain") {
      const auto w = words();
      view.domains.push_back({w.needed("cpu"), w.needed("level"), w.text("name"), w.cpus("span")});
    } else {
      refuse(line);
    }
  }
  return view;
}

namespace {

std::string numbers(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text.empty() ? "none" : text;
}

std::string type_of(CacheType type) {
  return type == CacheType::Data ? "Data" : type == CacheType::Instruction ? "Instruction" : "Unified";
}

std::string name_of(const Cache& cache) {
  return "L" + std::to_string(cache.level) +
         (cache.type == CacheType::Data          ? "d"
          : cache.type == CacheType::Instruction ? "i"
                                                 : "");
}

// CPUs of the guest that say the same package (or core) as this one.
template <typename Member>
std::vector<int> same(const GuestView& seen, const GuestCpu& cpu, Member member) {
  std::vector<int> result;
  for (const auto& other : seen.cpus) {
    if (other.*member == cpu.*member) result.push_back(other.cpu);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

std::vector<std::string> differences(const Topology& asked, const GuestView& seen) {
  std::vector<std::string> found;
  const auto differ = [&](const std::string& what, const std::string& wanted, const std::string& got) {
    if (wanted != got) found.push_back(what + ": asked " + wanted + ", seen " + got);
  };
  const auto list = [](const std::vector<int>& cpus) {
    return cpus.empty() ? std::string("none") : format_cpu_list(cpus);
  };

  const int cpus = cpu_count(asked);
  differ("CPUs online", std::to_string(cpus), std::to_string(seen.cpus.size()));
  if (!found.empty()) return found;
  std::set<int> ids;
  for (const auto& cpu : seen.cpus) ids.insert(cpu.cpu);
  if (static_cast<int>(ids.size()) != cpus || *ids.rbegin() != cpus - 1) {
    return {"CPUs online: asked 0-" + std::to_string(cpus - 1) + ", seen " + list({ids.begin(), ids.end()})};
  }

  for (const auto& cpu : seen.cpus) {
    const std::string who = "CPU " + std::to_string(cpu.cpu) + ": ";
    const auto where = locate(asked, cpu.cpu);
    std::vector<int> package, siblings;
    for (int other = 0; other < cpus; ++other) {
      const auto there = locate(asked, other);
      if (there.socket == where.socket) package.push_back(other);
      if (there.core == where.core) siblings.push_back(other);
    }
    differ(who + "package shared by", list(package), cpu.package ? list(same(seen, cpu, &GuestCpu::package)) : "?");
    if (cpu.apic) differ(who + "APIC id", std::to_string(apic_id(asked, cpu.cpu)), std::to_string(*cpu.apic));
    differ(who + "threads of its core", list(siblings), cpu.siblings.empty() ? "?" : list(cpu.siblings));
    if (asked.nodes.size() > 1) {
      differ(who + "NUMA node", std::to_string(where.node), cpu.node ? std::to_string(*cpu.node) : "?");
    }
    for (const auto& cache : asked.caches) {
      const auto match = std::find_if(seen.caches.begin(), seen.caches.end(), [&](const GuestCache& c) {
        return c.cpu == cpu.cpu && c.level == cache.level && c.type == type_of(cache.type);
      });
      if (match == seen.caches.end()) {
        found.push_back(who + name_of(cache) + ": asked, not seen");
        continue;
      }
      differ(who + name_of(cache) + " shared by", list(sharers(asked, cache, cpu.cpu)), list(match->shared));
      // What QEMU's models show cannot be chosen: a definition says it with "shown".
      if (match->size) {
        differ(who + name_of(cache) + " size", format_bytes(cache.shown != 0 ? cache.shown : cache.size),
               format_bytes(*match->size));
      }
    }
    for (const auto& cache : seen.caches) {
      if (cache.cpu != cpu.cpu) continue;
      const bool known = std::any_of(asked.caches.begin(), asked.caches.end(), [&](const Cache& c) {
        return c.level == cache.level && type_of(c.type) == cache.type;
      });
      if (!known) found.push_back(who + "L" + std::to_string(cache.level) + " " + cache.type + ": not asked, seen");
    }
  }

  const auto of_domains = domain_differences(asked, seen);
  found.insert(found.end(), of_domains.begin(), of_domains.end());

  // A kernel without NUMA shows no node at all: with one node asked, that is the same machine.
  if (asked.nodes.size() > 1 || seen.nodes.size() > 1) {
    differ("NUMA nodes", std::to_string(asked.nodes.size()), std::to_string(seen.nodes.size()));
    for (const auto& node : seen.nodes) {
      const auto index = static_cast<std::size_t>(node.node);
      if (index >= asked.nodes.size()) continue;
      const std::string who = "node " + std::to_string(node.node) + ": ";
      differ(who + "CPUs", list(asked.nodes[index].cpus), list(node.cpus));
      if (index < asked.distances.size())
        differ(who + "distances", numbers(asked.distances[index]), numbers(node.distances));
    }
  }
  return found;
}

}  // namespace rig
