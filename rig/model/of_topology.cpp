// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/of_topology.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rig/topology/timing_faults.h"

namespace rig {
namespace {

using model::Cycles;

// QEMU's q35 machine puts all RAM below 4 GiB where it is less than 2.75 GiB, else the first 2 GiB.
constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::uint64_t most_without_hole = 11 * gib / 4;
constexpr std::uint64_t below_hole = 2 * gib;

class Reader {
 public:
  explicit Reader(const Topology& topology) : timing_(*topology.timing), mhz_(topology.mhz) {}
  Cycles time(std::string_view path) const { return static_cast<Cycles>(std::llround(value(path))); }
  std::uint32_t percent(std::string_view path) const { return static_cast<std::uint32_t>(std::llround(value(path))); }
  std::uint32_t millicycles(std::string_view path) const {
    return static_cast<std::uint32_t>(std::llround(value(path) * 1000));
  }
  bool states(std::string_view path) const { return timing_.find(path) != nullptr; }
  double value(std::string_view path) const {  // 0 where it is not stated
    const Quantity* quantity = timing_.find(path);
    return quantity == nullptr ? 0 : in_cycles(*quantity, mhz_);
  }

 private:
  const Timing& timing_;
  int mhz_;
};

void set_levels(model::MachineSpec& spec, const Topology& t, const Reader& read) {
  for (const Cache* cache : data_levels(t)) {
    const auto line = static_cast<std::uint64_t>(cache->line), ways = static_cast<std::uint64_t>(cache->ways);
    model::LevelSpec level;
    level.sets = static_cast<std::uint32_t>(cache->size / (line * ways));
    level.ways = static_cast<std::uint32_t>(ways);
    level.cpus = static_cast<std::uint32_t>(cache->shared_by * t.threads);
    const std::string key = cache->level == 1 ? "l1d" : "l" + std::to_string(cache->level);
    level.latency = read.time(key + ".latency");
    // a level that only one cache is inside of never transfers
    level.transfer = std::max(read.time(key + ".transfer"), level.latency);
    level.upgrade = read.time(key + ".upgrade");
    spec.line = static_cast<std::uint32_t>(line);
    spec.levels.push_back(level);
  }
}

void set_links(model::MachineSpec& spec, const Reader& read) {
  const Cycles least = spec.levels.back().latency;
  spec.package = {std::max(read.time("fsb.cache_to_cache"), least), read.time("fsb.upgrade")};
  spec.other_package = {std::max(read.time("chipset.cache_to_cache"), least), read.time("chipset.upgrade")};
  // 8 bytes wide; a request takes two bus clocks, which are eight transfers, as a line's data do that go
  // with the requests after it
  if (const double rate = read.value("fsb.transfer_rate"); rate > 0) {
    spec.bus_line = static_cast<Cycles>(std::llround(spec.line / 8.0 / rate * spec.mhz));
    spec.bus_request = static_cast<Cycles>(std::llround(8.0 / rate * spec.mhz));
  }
  spec.memory_line = read.time("memory.occupancy");
}

void set_nodes(model::MachineSpec& spec, const Topology& t, const Reader& read) {
  for (const auto& node : t.nodes) spec.nodes.push_back({node.memory});
  for (int cpu = 0; cpu < cpu_room(t); ++cpu) {
    const int there = std::min(cpu, cpu_count(t) - 1);  // where a package is not full
    spec.node_of_cpu.push_back(static_cast<std::uint32_t>(locate(t, there).node));
  }
  if (const auto all = memory_bytes(t); all >= most_without_hole) spec.low_memory = below_hole;
  int nearest = 255;
  for (std::size_t i = 0; i < t.distances.size(); ++i) {
    for (std::size_t j = 0; j < t.distances.size(); ++j) {
      if (i != j) nearest = std::min(nearest, t.distances[i][j]);
    }
  }
  const double local = read.value("memory.latency"), remote = read.value("memory.remote");
  spec.memory.assign(t.nodes.size(), std::vector<Cycles>(t.nodes.size(), read.time("memory.latency")));
  for (std::size_t i = 0; i < t.distances.size(); ++i) {
    for (std::size_t j = 0; j < t.distances.size(); ++j) {
      if (i == j) continue;
      const double more = (remote - local) * (t.distances[i][j] - 10) / (nearest - 10);
      spec.memory[i][j] = static_cast<Cycles>(std::llround(local + more));
    }
  }
}

void set_costs(model::MachineSpec& spec, const Reader& read) {
  spec.exposed_hit = read.percent("exposed.hit");
  spec.exposed_transfer = read.percent("exposed.transfer");
  spec.exposed_memory = read.percent("exposed.memory");
  spec.exposed_store = read.percent("exposed.store");
  // the names of classes and devices are those of the fields, with '-' for '_'
  const auto key = [](const char* group, std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return group + name;
  };
  for (std::size_t i = 0; i < model::class_count; ++i) {
    spec.millicycles[i] = read.millicycles(key("cpi.", name(static_cast<model::InstructionClass>(i))));
  }
  spec.fetch_millicycles = read.millicycles("cpi.fetch");
  spec.tlb_millicycles = read.millicycles("cpi.tlb");
  for (std::size_t i = 0; i < model::device_count; ++i) {
    spec.device[i] = read.time(key("device.", name(static_cast<model::Device>(i))));
  }
  // where no card is spoken of, as all of PCI
  for (const auto card : {model::Device::CardRead, model::Device::CardWrite}) {
    auto& cost = spec.device[static_cast<std::size_t>(card)];
    if (!read.states(key("device.", name(card)))) cost = spec.device[static_cast<std::size_t>(model::Device::Pci)];
  }
  spec.locked = read.time("operation.locked");
  spec.split = read.time("operation.split");
  spec.interrupt = read.time("operation.interrupt");
  spec.ipi_send = read.time("ipi.send");
  spec.ipi_delivery = read.time("ipi.delivery");
  spec.halt_exit = read.time("halt.exit");
}

}  // namespace

model::MachineSpec machine_spec(const Topology& t) {
  if (!t.timing) throw std::invalid_argument("topology " + t.name + " has no timing");
  if (const auto wrong = faults(t); !wrong.empty()) {
    throw std::invalid_argument("topology " + t.name + ": " + wrong[0].first + ": " + wrong[0].second);
  }
  const Reader read(t);
  model::MachineSpec spec;
  spec.name = definition_of(t);  // as in cell ids: the same machine gives the same bytes
  spec.mhz = static_cast<std::uint32_t>(t.mhz);
  spec.cpus = static_cast<std::uint32_t>(cpu_room(t));
  spec.cpus_per_package = spec.cpus / static_cast<std::uint32_t>(package_count(t));
  spec.passes_clean = t.timing->passes_clean_lines;
  set_levels(spec, t, read);
  set_links(spec, read);
  set_nodes(spec, t, read);
  set_costs(spec, read);
  if (const std::string wrong = model::fault(spec); !wrong.empty()) throw std::invalid_argument(wrong);
  return spec;
}

}  // namespace rig
