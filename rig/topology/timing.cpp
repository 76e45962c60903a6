// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/topology/timing.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "rig/base/units.h"
#include "rig/topology/timing_faults.h"

namespace rig {
namespace {

using enum TimingKind;

constexpr TimingField fields[] = {
    {"l1d.latency", Time, "load to use, of a hit; part of what an instruction costs anyway"},
    {"l2.latency", Time, "load to use, of a hit"},
    {"l2.transfer", Time, "load to use, of a line that another cache inside this one has modified"},
    {"l2.upgrade", Time, "making a line one's own that caches inside this one share"},
    {"l3.latency", Time, "load to use, of a hit"},
    {"l3.transfer", Time, "load to use, of a line that another cache inside this one has modified"},
    {"l3.upgrade", Time, "making a line one's own that caches inside this one share"},
    {"fsb.cache_to_cache", Time, "load to use, of a line modified in another outermost cache of the package"},
    {"fsb.upgrade", Time, "making a line one's own that another outermost cache of the package may share"},
    {"fsb.transfer_rate", Rate, "of a package's bus, 8 bytes wide: a line and a request hold it for 64 bytes"},
    {"chipset.cache_to_cache", Time, "load to use, of a line modified in another package"},
    {"chipset.upgrade", Time, "making a line one's own that another package shares"},
    {"memory.latency", Time, "load to use, from the CPU's own NUMA node"},
    {"memory.remote", Time, "load to use, from the nearest other NUMA node; farther ones in proportion to distances"},
    {"memory.occupancy", Time, "how long a line holds a node's memory"},
    {"exposed.hit", Part, "of the latency of a hit beyond level 1, what a load stalls for"},
    {"exposed.transfer", Part, "of the latency of a transfer between caches, what a load stalls for"},
    {"exposed.memory", Part, "of the latency of memory, what a load stalls for"},
    {"exposed.store", Part, "of any latency, what a store stalls for"},
    {"cpi.simple", PerInstruction, "moves, arithmetic, logic"},
    {"cpi.branch", PerInstruction, "jumps, calls and returns, mispredictions among them"},
    {"cpi.multiply", PerInstruction, "integer multiplication"},
    {"cpi.divide", PerInstruction, "integer division"},
    {"cpi.simd", PerInstruction, "SSE and x87"},
    {"cpi.string", PerInstruction, "one iteration of a string instruction"},
    {"cpi.flags", PerInstruction, "cli, sti, pushf, popf"},
    {"cpi.system_call", PerInstruction, "syscall, sysret and their like, each"},
    {"cpi.interrupt_return", PerInstruction, "iret"},
    {"cpi.time_stamp", PerInstruction, "rdtsc"},
    {"cpi.pause", PerInstruction, "pause"},
    {"cpi.fence", PerInstruction, "mfence, lfence, sfence"},
    {"cpi.serialising", PerInstruction, "cpuid, wrmsr, control registers, invlpg"},
    {"cpi.fetch", PerInstruction, "instruction fetch beyond level 1, spread over all instructions"},
    {"cpi.tlb", PerInstruction, "page walks, spread over all instructions"},
    {"operation.locked", Time, "a locked operation, beyond its data"},
    {"operation.split", Time, "an access that crosses a line, beyond its two lines"},
    {"operation.interrupt", Time, "taking an interrupt or an exception"},
    {"device.local_apic", Time, "an access to a CPU's own APIC"},
    {"device.io_apic", Time, "an access to the I/O APIC"},
    {"device.hpet", Time, "an access to the HPET"},
    {"device.serial", Time, "an access to a serial port"},
    {"device.pci", Time, "an access to PCI configuration space"},
    {"device.card_read", Time, "a read of a PCI card's registers"},
    {"device.card_write", Time, "a write to a PCI card's registers, which does not wait for the card"},
    {"device.memory", Time, "an access to any other device in memory"},
    {"device.port", Time, "an access to any other port"},
    {"ipi.send", Time, "the sender of an interprocessor interrupt, beyond the access to its APIC"},
    {"ipi.delivery", Time, "from sending an interprocessor interrupt to its arrival"},
    {"halt.exit", Time, "from the event that ends a halt to the first instruction"},
    {"wire.delay", Time, "from a request's arrival at a modelled wire's other end to its answer, at least"},
};

using Faults = std::vector<std::pair<std::string, std::string>>;

std::string level_key(int level) { return level == 1 ? "l1d" : "l" + std::to_string(level); }

bool starts_with_group(std::string_view path, std::string_view group) {
  return path.size() > group.size() && path.substr(0, group.size()) == group && path[group.size()] == '.';
}

// Which paths this machine needs; the others of timing_fields() may be there.
std::vector<std::string> needed_paths(const Topology& t, const std::vector<const Cache*>& levels) {
  std::vector<std::string> needed;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string key = level_key(levels[i]->level);
    needed.push_back(key + ".latency");
    if (i > 0 && levels[i]->shared_by > levels[i - 1]->shared_by) {
      needed.push_back(key + ".transfer");
      needed.push_back(key + ".upgrade");
    }
  }
  const bool several_in_package = levels.back()->shared_by < t.dies * t.cores;
  if (several_in_package) {
    needed.emplace_back("fsb.cache_to_cache");
    needed.emplace_back("fsb.upgrade");
  }
  if (several_in_package || package_count(t) > 1) needed.emplace_back("fsb.transfer_rate");
  if (package_count(t) > 1) {
    needed.emplace_back("chipset.cache_to_cache");
    needed.emplace_back("chipset.upgrade");
  }
  needed.emplace_back("memory.latency");
  if (t.nodes.size() > 1) needed.emplace_back("memory.remote");
  for (const auto& field : fields) {
    if (field.path.starts_with("device.card_") && !t.peer) continue;  // then as device.pci
    for (const std::string_view group : {"exposed", "cpi", "operation", "device", "ipi", "halt"}) {
      if (starts_with_group(field.path, group)) needed.emplace_back(field.path);
    }
  }
  return needed;
}

std::string shown(const Quantity& quantity) {
  std::string number = format_number(quantity.value, 3);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number + " " + std::string(to_string(quantity.unit));
}

// A number that must not be below another, as a hit in level 2 below one in level 1.
void check_order(const Topology& t, std::string_view below, std::string_view above, Faults& found) {
  const Quantity* inner = t.timing->find(below);
  const Quantity* outer = t.timing->find(above);
  if (inner == nullptr || outer == nullptr || in_cycles(*outer, t.mhz) >= in_cycles(*inner, t.mhz)) return;
  found.emplace_back("timing." + std::string(above),
                     shown(*outer) + " is less than " + std::string(below) + ", " + shown(*inner));
}

// A CPU that wakes is ahead of the others by so much. A task that moves then to one behind sees time stand: with
// 1 ms it was seen, with 200 us it was not.
constexpr double longest_halt_exit_us = 100;

void check_values(const Topology& t, Faults& found) {
  for (const auto& [path, quantity] : t.timing->values) {
    if (find_timing_field(path) == nullptr) {
      found.emplace_back("timing." + path, "there is no such number");
    } else if (quantity.low > quantity.value || quantity.high < quantity.value) {
      found.emplace_back("timing." + path + ".range", quantity.low > quantity.high
                                                          ? "its ends are in the wrong order"
                                                          : shown(quantity) + " is outside its range");
    } else if (quantity.unit == TimingUnit::MegaTransfers && quantity.value < 1) {
      found.emplace_back("timing." + path, shown(quantity) + " is no bus: at least 1 MT/s");
    } else if (path == "halt.exit" && in_cycles(quantity, t.mhz) > longest_halt_exit_us * t.mhz) {
      found.emplace_back("timing." + path,
                         shown(quantity) + " is more than the clocks of the CPUs may part: at most 100 us");
    }
  }
}

}  // namespace

std::string_view to_string(TimingUnit unit) {
  constexpr std::string_view names[] = {"cycles", "ns", "%", "MT/s"};
  return names[static_cast<std::size_t>(unit)];
}

std::span<const TimingField> timing_fields() { return fields; }

const TimingField* find_timing_field(std::string_view path) {
  const auto* found = std::find_if(std::begin(fields), std::end(fields), [&](const auto& f) { return f.path == path; });
  return found == std::end(fields) ? nullptr : found;
}

const Quantity* Timing::find(std::string_view path) const {
  const auto found = values.find(path);
  return found == values.end() ? nullptr : &found->second;
}

double in_cycles(const Quantity& quantity, int mhz) {
  return quantity.unit == TimingUnit::Nanoseconds ? quantity.value * mhz / 1000 : quantity.value;
}

std::vector<const Cache*> data_levels(const Topology& t) {
  std::vector<const Cache*> levels;
  for (int level = 1; level <= 3; ++level) {
    if (const Cache* cache = data_cache(t, level)) levels.push_back(cache);
  }
  return levels;
}

bool timing_counts(const Topology& t, std::string_view path) {
  if (path == "memory.occupancy" || path == "fsb.transfer_rate" || path == "wire.delay" ||
      path.starts_with("device.card_"))
    return true;
  const auto levels = data_levels(t);
  if (levels.empty()) return false;
  const auto needed = needed_paths(t, levels);
  return std::find(needed.begin(), needed.end(), path) != needed.end();
}

std::vector<std::pair<std::string, std::string>> timing_faults(const Topology& t) {
  Faults found;
  const auto fault = [&](const std::string& path, const std::string& message) { found.emplace_back(path, message); };
  if (t.mhz == 0) {
    fault("timing", "cycles and ns need the topology's clock, which is missing");
    return found;
  }
  const auto levels = data_levels(t);
  if (levels.empty() || levels.front()->level != 1) {
    fault("timing", "it needs a level-1 data cache among the topology's caches");
    return found;
  }
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const std::string path = "caches." + level_key(levels[i]->level);
    if (levels[i]->level != static_cast<int>(i) + 1) fault(path, "the level inside it is missing, and timing needs it");
    if (levels[i]->line != levels[0]->line) fault(path + ".line", "timing needs lines as those of l1d");
  }
  for (const int level : {2, 3}) {
    const std::string group = level_key(level);
    const auto of_group = [&](const auto& entry) { return starts_with_group(entry.first, group); };
    const auto& values = t.timing->values;
    if (data_cache(t, level) == nullptr && std::any_of(values.begin(), values.end(), of_group)) {
      fault("timing." + group, "the machine has no cache " + group);
    }
  }
  if (!found.empty()) return found;
  for (const auto& path : needed_paths(t, levels)) {
    if (t.timing->find(path) == nullptr) fault("timing." + path, "is missing");
  }
  check_values(t, found);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const std::string here = level_key(levels[i]->level);
    check_order(t, level_key(levels[i - 1]->level) + ".latency", here + ".latency", found);
    check_order(t, here + ".latency", here + ".transfer", found);
  }
  const std::string outermost = level_key(levels.back()->level) + ".latency";
  check_order(t, outermost, "fsb.cache_to_cache", found);
  check_order(t, outermost, "chipset.cache_to_cache", found);
  check_order(t, outermost, "memory.latency", found);
  check_order(t, "memory.latency", "memory.remote", found);
  return found;
}

}  // namespace rig
