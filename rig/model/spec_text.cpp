// SPDX-License-Identifier: GPL-2.0-or-later
// The text form of a spec: one visit of all its numbers serves writing and reading.
#include <charconv>
#include <limits>
#include <map>
#include <stdexcept>

#include "rig/model/machine_spec.h"

namespace rig::model {
namespace {

constexpr std::string_view first_line = "rig-machine 1";
constexpr std::size_t longest_text = 256 * 1024;
constexpr std::size_t longest_name = 128;

std::string key_of(const char* what, std::size_t i) { return std::string(what) + std::to_string(i); }

// Calls with every number of a spec whose lists have their lengths.
template <typename Spec, typename Visitor>
void visit(Spec& s, Visitor&& number) {
  number("mhz", s.mhz);
  number("cpus-per-package", s.cpus_per_package);
  number("line", s.line);
  for (std::size_t i = 0; i < s.levels.size(); ++i) {
    const std::string level = key_of("level", i + 1) + ".";
    number(level + "sets", s.levels[i].sets);
    number(level + "ways", s.levels[i].ways);
    number(level + "cpus", s.levels[i].cpus);
    number(level + "latency", s.levels[i].latency);
    number(level + "transfer", s.levels[i].transfer);
    number(level + "upgrade", s.levels[i].upgrade);
  }
  number("package.transfer", s.package.transfer);
  number("package.upgrade", s.package.upgrade);
  number("other-package.transfer", s.other_package.transfer);
  number("other-package.upgrade", s.other_package.upgrade);
  for (std::size_t i = 0; i < s.nodes.size(); ++i) number(key_of("node", i) + ".memory", s.nodes[i].memory);
  for (std::size_t i = 0; i < s.node_of_cpu.size(); ++i) number(key_of("cpu", i) + ".node", s.node_of_cpu[i]);
  for (std::size_t i = 0; i < s.memory.size(); ++i) {
    for (std::size_t j = 0; j < s.memory[i].size(); ++j) {
      number(key_of("node", i) + "." + key_of("node", j), s.memory[i][j]);
    }
  }
  number("low-memory", s.low_memory);
  number("passes-clean", s.passes_clean);
  number("dma-updates", s.dma_updates);
  number("bus.line", s.bus_line);
  number("bus.request", s.bus_request);
  number("memory.line", s.memory_line);
  number("exposed.hit", s.exposed_hit);
  number("exposed.transfer", s.exposed_transfer);
  number("exposed.memory", s.exposed_memory);
  number("exposed.store", s.exposed_store);
  for (std::size_t i = 0; i < class_count; ++i) {
    number(std::string("millicycles.") + name(static_cast<InstructionClass>(i)), s.millicycles[i]);
  }
  number("millicycles-fetch", s.fetch_millicycles);
  number("millicycles-tlb", s.tlb_millicycles);
  number("locked", s.locked);
  number("split", s.split);
  number("interrupt", s.interrupt);
  for (std::size_t i = 0; i < device_count; ++i) {
    number(std::string("device.") + name(static_cast<Device>(i)), s.device[i]);
  }
  number("ipi.send", s.ipi_send);
  number("ipi.delivery", s.ipi_delivery);
  number("halt-exit", s.halt_exit);
}

[[noreturn]] void refuse(std::size_t line, const std::string& what) {
  throw std::runtime_error("line " + std::to_string(line) + ": " + what);
}

struct Entry {
  std::size_t line;
  std::string_view value;
};
using Entries = std::map<std::string, Entry, std::less<>>;

Entries entries_of(std::string_view text) {
  if (text.size() > longest_text) throw std::runtime_error("the text is longer than 256 KiB");
  Entries entries;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) refuse(number, "it does not end");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (line != first_line) refuse(1, "it must be '" + std::string(first_line) + "'");
      continue;
    }
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) refuse(number, "it is no key and value");
    const auto [entry, fresh] =
        entries.try_emplace(std::string(line.substr(0, space)), Entry{number, line.substr(space + 1)});
    if (!fresh) refuse(number, "'" + entry->first + "' stands twice");
  }
  return entries;
}

// Takes the key's value out of the entries.
Entry take(Entries& entries, const std::string& key) {
  const auto found = entries.find(key);
  if (found == entries.end()) throw std::runtime_error("'" + key + "' is missing");
  const Entry entry = found->second;
  entries.erase(found);
  return entry;
}

template <typename Number>
void take_number(Entries& entries, const std::string& key, Number& number, std::uint64_t most) {
  const Entry entry = take(entries, key);
  std::uint64_t value = 0;
  const char* end = entry.value.data() + entry.value.size();
  const auto [rest, error] = std::from_chars(entry.value.data(), end, value);
  if (error != std::errc() || rest != end || value > most) {
    refuse(entry.line, "'" + key + "' is no whole number of at most " + std::to_string(most));
  }
  number = static_cast<Number>(value);
}

}  // namespace

std::string to_text(const MachineSpec& spec) {
  std::string text(first_line);
  const auto line = [&](const std::string& key, auto value) {
    text += "\n" + key + " " + std::to_string(static_cast<std::uint64_t>(value));
  };
  text += "\nname " + spec.name;
  line("cpus", spec.cpus);
  line("levels", spec.levels.size());
  line("nodes", spec.nodes.size());
  visit(spec, line);
  return text + "\n";
}

MachineSpec parse_spec(std::string_view text) {
  Entries entries = entries_of(text);
  MachineSpec spec;
  const Entry name = take(entries, "name");
  if (name.value.size() > longest_name) refuse(name.line, "the name is too long");
  spec.name = std::string(name.value);
  std::size_t levels = 0, nodes = 0;
  take_number(entries, "cpus", spec.cpus, 4096);
  take_number(entries, "levels", levels, 3);
  take_number(entries, "nodes", nodes, 64);
  spec.levels.resize(levels);
  spec.nodes.resize(nodes);
  spec.node_of_cpu.resize(spec.cpus);
  spec.memory.assign(nodes, std::vector<Cycles>(nodes));
  visit(spec, [&]<typename Number>(const std::string& key, Number& number) {
    // far above any latency, and far below what sums could overflow with
    constexpr std::uint64_t most =
        std::is_same_v<Number, bool> ? 1 : std::uint64_t{1} << (sizeof(Number) == 8 ? 48 : 31);
    take_number(entries, key, number, most);
  });
  if (!entries.empty()) refuse(entries.begin()->second.line, "'" + entries.begin()->first + "' is not known");
  if (const std::string wrong = fault(spec); !wrong.empty()) throw std::runtime_error(wrong);
  return spec;
}

}  // namespace rig::model
