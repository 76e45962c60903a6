// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/machine.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rig::model {
namespace {

constexpr unsigned nothing = ~0u;
constexpr std::uint64_t four_gib = std::uint64_t{1} << 32;

Cycles part(Cycles cycles, std::uint32_t percent) { return (cycles * percent + 50) / 100; }

Source hit_at(std::size_t level) { return static_cast<Source>(static_cast<std::size_t>(Source::Level1) + level); }
Source transfer_at(std::size_t level) {
  return static_cast<Source>(static_cast<std::size_t>(Source::TransferLevel2) + level - 1);
}
Reach reach_at(std::size_t level) { return static_cast<Reach>(static_cast<std::size_t>(Reach::Level2) + level - 1); }

template <typename Array, typename Key>
auto& at(Array& array, Key key) {
  return array[static_cast<std::size_t>(key)];
}

}  // namespace

Machine::Machine(const MachineSpec& spec) : spec_(spec) {
  if (const std::string wrong = fault(spec); !wrong.empty()) throw std::invalid_argument(wrong);
  line_shift_ = static_cast<unsigned>(std::countr_zero(spec_.line));
  line_mask_ = spec_.line - 1;
  for (const auto& level : spec_.levels) {
    caches_.emplace_back(spec_.cpus / level.cpus, CacheArray(level.sets, level.ways));
  }
  cpus_.resize(spec_.cpus);
  for (unsigned cpu = 0; cpu < spec_.cpus; ++cpu) cpus_[cpu].level1 = &cache(0, instance(0, cpu));
  buses_.resize(spec_.cpus / spec_.cpus_per_package);
  memories_.resize(spec_.nodes.size());
  std::uint64_t end = 0;
  for (const auto& node : spec_.nodes) node_end_.push_back(end += node.memory);
}

BlockCost Machine::block_cost(const InstructionCounts& counts) const {
  BlockCost cost;
  std::uint64_t millicycles = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cost.instructions += counts[i];
    millicycles += std::uint64_t{counts[i]} *
                   (std::uint64_t{spec_.millicycles[i]} + spec_.fetch_millicycles + spec_.tlb_millicycles);
  }
  cost.fixed = static_cast<std::uint32_t>((millicycles * 1024 + 500) / 1000);
  return cost;
}

Cycles Machine::slow_access(unsigned cpu, std::uint64_t address, unsigned size, AccessKind kind, Cycles now) {
  Counters& counters = cpus_[cpu].counters;
  switch (kind) {
    case AccessKind::Load:
      ++counters.loads;
      break;
    case AccessKind::Store:
      ++counters.stores;
      break;
    case AccessKind::Locked:
      ++counters.locked;
      break;
  }
  Request request{cpu, address >> line_shift_, kind, now};
  serve(request);
  Cycles cost = request.cost;
  if (const Line last = (address + size - 1) >> line_shift_; last != request.line) {
    Request rest{cpu, last, kind, now + cost};
    serve(rest);
    ++counters.splits;
    counters.split_cycles += spec_.split;
    cost += rest.cost + spec_.split;
  }
  if (kind == AccessKind::Locked) {
    counters.locked_cycles += spec_.locked;
    cost += spec_.locked;
  }
  return cost;
}

void Machine::serve(Request& request) {
  for (std::size_t level = 0; level < caches_.size(); ++level) {
    const Slot slot = cache(level, instance(level, request.cpu)).find(request.line);
    if (slot != no_slot) return serve_inside(request, level, slot);
  }
  serve_outside(request);
}

void Machine::serve_inside(Request& request, std::size_t level, Slot slot) {
  const unsigned mine = instance(level, request.cpu);
  CacheArray& here = cache(level, mine);
  here.touch(slot);
  const State state = here.state(slot);
  if (level == 0) {
    cpus_[request.cpu].predicted[request.line & (predictions - 1)] = slot;
    if (!request.writes() || state == State::Modified) return;
    if (state == State::Shared) upgrade(request, 0);
    return own_path(request);
  }
  const unsigned inside = spec_.levels[level].cpus / spec_.levels[level - 1].cpus;
  bool copies = false, modified = false;
  for (unsigned child = mine * inside; child < (mine + 1) * inside; ++child) {
    const Slot copy = cache(level - 1, child).find(request.line);
    if (copy == no_slot) continue;
    copies = true;
    modified = modified || cache(level - 1, child).state(copy) == State::Modified;
    if (!request.writes()) share(level - 1, child, request.line);
  }
  if (modified) {
    charge_source(request, transfer_at(level), spec_.levels[level].transfer, spec_.exposed_transfer, 0);
  } else {
    charge_source(request, hit_at(level), spec_.levels[level].latency, spec_.exposed_hit, 0);
  }
  if (!request.writes())
    return fill(request, level, copies || state == State::Shared ? State::Shared : State::Exclusive);
  cpus_[request.cpu].counters.invalidated += invalidate_inside(level, mine, request.line, nothing);
  if (state == State::Shared) upgrade(request, level);
  fill(request, level, State::Modified);
  own_path(request);
}

// The line is shared at level `from`: does away with all copies that other caches hold.
void Machine::upgrade(Request& request, std::size_t from) {
  Counters& counters = cpus_[request.cpu].counters;
  const std::uint32_t exposed = request.kind == AccessKind::Locked ? 100 : spec_.exposed_store;
  for (std::size_t level = from + 1; level < caches_.size(); ++level) {
    const unsigned mine = instance(level, request.cpu);
    counters.invalidated += invalidate_inside(level, mine, request.line, instance(level - 1, request.cpu));
    CacheArray& here = cache(level, mine);
    if (here.state(here.find(request.line)) == State::Shared) continue;
    return charge(request, at(counters.upgrades, reach_at(level)), spec_.levels[level].upgrade, exposed);
  }
  const std::size_t outermost = caches_.size() - 1;
  const Elsewhere elsewhere = look_elsewhere(request);
  for (unsigned group = 0; elsewhere.any && group < caches_[outermost].size(); ++group) {
    if (group == instance(outermost, request.cpu)) continue;
    counters.invalidated += invalidate(outermost, group, request.line);
  }
  const bool far = elsewhere.packages != 0 || one_cache_a_package();
  const Cycles wait = wait_for_buses(request, spec_.bus_request, elsewhere, false);
  charge(request, at(counters.upgrades, far ? Reach::OtherPackage : Reach::Package),
         (far ? spec_.other_package : spec_.package).upgrade, exposed);
  charge_wait(request, wait, exposed);
}

Machine::Elsewhere Machine::look_elsewhere(const Request& request) const {
  Elsewhere found;
  const auto& groups = caches_.back();
  const unsigned group_cpus = spec_.levels.back().cpus;
  const unsigned home = package(request.cpu);
  for (unsigned group = 0; group < groups.size(); ++group) {
    if (group == request.cpu / group_cpus) continue;
    const Slot slot = groups[group].find(request.line);
    if (slot == no_slot) continue;
    const unsigned where = package(group * group_cpus);
    const bool modified = groups[group].state(slot) == State::Modified;
    // of several clean copies the nearest is passed on
    if (!found.any || modified || (where == home && !found.modified)) found.package = where;
    found.any = true;
    found.modified = found.modified || modified;
    if (where != home) found.packages |= std::uint64_t{1} << where;
  }
  return found;
}

Cycles Machine::wait_for_buses(const Request& request, Cycles own, const Elsewhere& elsewhere, bool passed_on) {
  const Cycles wait = buses_[package(request.cpu)].reserve(request.now, own);
  Cycles beyond = 0;
  for (std::uint64_t rest = elsewhere.packages; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<unsigned>(std::countr_zero(rest));
    const Cycles held = passed_on && other == elsewhere.package ? spec_.bus_line : spec_.bus_request;
    beyond = std::max(beyond, buses_[other].reserve(request.now + wait, held));
  }
  return wait + beyond;
}

void Machine::serve_outside(Request& request) {
  const std::size_t outermost = caches_.size() - 1;
  const Elsewhere elsewhere = look_elsewhere(request);
  Counters& counters = cpus_[request.cpu].counters;
  for (unsigned group = 0; elsewhere.any && group < caches_[outermost].size(); ++group) {
    if (group == instance(outermost, request.cpu)) continue;
    if (request.writes()) {
      counters.invalidated += invalidate(outermost, group, request.line);
    } else {
      share(outermost, group, request.line);
    }
  }
  const bool passed_on = elsewhere.modified || (spec_.passes_clean && elsewhere.any);
  Cycles wait = wait_for_buses(request, spec_.bus_line, elsewhere, passed_on);
  if (passed_on) {
    const bool far = elsewhere.package != package(request.cpu);
    charge_source(request, far ? Source::TransferOtherPackage : Source::TransferPackage,
                  (far ? spec_.other_package : spec_.package).transfer, spec_.exposed_transfer, wait);
  } else {
    const std::size_t node = node_of(request.line), own_node = spec_.node_of_cpu[request.cpu];
    wait += memories_[node].reserve(request.now + wait, spec_.memory_line);
    charge_source(request, node == own_node ? Source::Memory : Source::RemoteMemory, spec_.memory[own_node][node],
                  spec_.exposed_memory, wait);
  }
  fill(request, caches_.size(), request.writes() ? State::Modified : elsewhere.any ? State::Shared : State::Exclusive);
}

// Puts the line into the CPU's caches inside level `below`, the outermost first.
void Machine::fill(Request& request, std::size_t below, State state) {
  for (std::size_t level = below; level-- > 0;) {
    CacheArray& here = cache(level, instance(level, request.cpu));
    const Slot slot = here.victim(request.line);
    if (here.state(slot) != State::Invalid) evict(request, level, slot);
    here.put(slot, request.line, state);
    if (level == 0) cpus_[request.cpu].predicted[request.line & (predictions - 1)] = slot;
  }
}

void Machine::evict(Request& request, std::size_t level, Slot slot) {
  const unsigned mine = instance(level, request.cpu);
  const Line line = cache(level, mine).line(slot);
  Counters& counters = cpus_[request.cpu].counters;
  counters.back_invalidations += invalidate_inside(level, mine, line, nothing);
  if (level + 1 < caches_.size() || cache(level, mine).state(slot) != State::Modified) return;
  // goes out behind the CPU's back, and yet takes its time on the bus
  ++counters.writebacks;
  const Cycles wait = buses_[package(request.cpu)].reserve(request.now, spec_.bus_line);
  memories_[node_of(line)].reserve(request.now + wait, spec_.memory_line);
}

void Machine::own_path(const Request& request) {
  for (std::size_t level = 0; level < caches_.size(); ++level) {
    CacheArray& here = cache(level, instance(level, request.cpu));
    here.set_state(here.find(request.line), State::Modified);
  }
}

void Machine::charge(Request& request, Tally& tally, Cycles cycles, std::uint32_t exposed) {
  const Cycles cost = part(cycles, exposed);
  ++tally.count;
  tally.cycles += cost;
  request.cost += cost;
}

void Machine::charge_wait(Request& request, Cycles wait, std::uint32_t exposed) {
  if (wait > 0) charge(request, cpus_[request.cpu].counters.queueing, wait, exposed);
}

void Machine::charge_source(Request& request, Source source, Cycles latency, std::uint32_t exposed_load, Cycles wait) {
  const std::uint32_t exposed = request.kind == AccessKind::Load    ? exposed_load
                                : request.kind == AccessKind::Store ? spec_.exposed_store
                                                                    : 100;
  // a hit in level 1 is part of the instruction's own cost
  charge(request, at(cpus_[request.cpu].counters.served, source), latency - spec_.levels[0].latency, exposed);
  charge_wait(request, wait, exposed);
}

unsigned Machine::invalidate(std::size_t level, unsigned instance, Line line) {
  CacheArray& here = cache(level, instance);
  const Slot slot = here.find(line);
  if (slot == no_slot) return 0;
  here.set_state(slot, State::Invalid);
  return level == 0 ? 1 : invalidate_inside(level, instance, line, nothing);
}

unsigned Machine::invalidate_inside(std::size_t level, unsigned instance, Line line, unsigned except) {
  if (level == 0) return 0;
  const unsigned inside = spec_.levels[level].cpus / spec_.levels[level - 1].cpus;
  unsigned lost = 0;
  for (unsigned child = instance * inside; child < (instance + 1) * inside; ++child) {
    if (child != except) lost += invalidate(level - 1, child, line);
  }
  return lost;
}

void Machine::share(std::size_t level, unsigned instance, Line line) {
  CacheArray& here = cache(level, instance);
  const Slot slot = here.find(line);
  if (slot == no_slot || here.state(slot) == State::Shared) return;
  here.set_state(slot, State::Shared);
  if (level == 0) return;
  const unsigned inside = spec_.levels[level].cpus / spec_.levels[level - 1].cpus;
  for (unsigned child = instance * inside; child < (instance + 1) * inside; ++child) share(level - 1, child, line);
}

std::size_t Machine::node_of(Line line) const {
  std::uint64_t offset = line << line_shift_;
  if (spec_.low_memory != 0 && offset >= four_gib) offset = offset - four_gib + spec_.low_memory;
  std::size_t node = 0;
  while (node + 1 < node_end_.size() && offset >= node_end_[node]) ++node;
  return node;
}

void Machine::dma(std::uint64_t physical_address, bool writes, Cycles now) {
  const Line line = physical_address >> line_shift_;
  const std::size_t outermost = caches_.size() - 1;
  ++(writes ? dma_.writes : dma_.reads);
  unsigned owner = nothing;
  for (unsigned group = 0; group < caches_[outermost].size(); ++group) {
    const CacheArray& here = cache(outermost, group);
    const Slot slot = here.find(line);
    if (slot == no_slot) continue;
    if (here.state(slot) == State::Modified) owner = package(group * spec_.levels[outermost].cpus);
    if (writes && !spec_.dma_updates) {
      dma_.invalidated += invalidate(outermost, group, line);
    } else {
      share(outermost, group, line);
    }
  }
  if (owner != nothing) ++dma_.written_back;
  // every bus is asked, and an owner's carries the line
  Cycles wait = 0;
  for (unsigned bus = 0; bus < buses_.size(); ++bus) {
    wait = std::max(wait, buses_[bus].reserve(now, bus == owner ? spec_.bus_line : spec_.bus_request));
  }
  memories_[node_of(line)].reserve(now + wait, spec_.memory_line);
}

Cycles Machine::io(unsigned cpu, Device device) {
  Tally& tally = at(cpus_[cpu].counters.devices, device);
  ++tally.count;
  tally.cycles += at(spec_.device, device);
  return at(spec_.device, device);
}

namespace {
Cycles counted(Tally& tally, Cycles cycles) {
  ++tally.count;
  tally.cycles += cycles;
  return cycles;
}
}  // namespace

Cycles Machine::ipi(unsigned cpu) { return counted(cpus_[cpu].counters.ipis, spec_.ipi_send); }
Cycles Machine::interrupt(unsigned cpu) { return counted(cpus_[cpu].counters.interrupts, spec_.interrupt); }
Cycles Machine::halt_exit(unsigned cpu) { return counted(cpus_[cpu].counters.halt_exits, spec_.halt_exit); }

Counters Machine::counters(unsigned cpu) const {
  Counters counters = cpus_[cpu].counters;
  std::uint64_t elsewhere = 0;
  for (const auto& tally : counters.served) elsewhere += tally.count;
  at(counters.served, Source::Level1).count =
      counters.loads + counters.stores + counters.locked + counters.splits - elsewhere;
  return counters;
}

void Machine::reset_counters() {
  for (auto& cpu : cpus_) cpu.counters = {};
  dma_ = {};
  for (auto& bus : buses_) bus.reset_counters();
  for (auto& memory : memories_) memory.reset_counters();
}

State Machine::state(unsigned level, unsigned cpu, std::uint64_t physical_address) const {
  const CacheArray& here = caches_[level - 1][instance(level - 1, cpu)];
  const Slot slot = here.find(physical_address >> line_shift_);
  return slot == no_slot ? State::Invalid : here.state(slot);
}

}  // namespace rig::model
