// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/session.h"

#include <utility>

namespace rig::model {

Session::Session(const MachineSpec& spec, std::string spec_sha256, Cycles quantum, unsigned present)
    : machine_(spec), time_(spec.cpus, spec.mhz, quantum) {
  report_.spec_name = spec.name;
  report_.spec_sha256 = std::move(spec_sha256);
  report_.mhz = spec.mhz;
  report_.cpus = present == 0 ? spec.cpus : present;
  report_.quantum = quantum;
}

void Session::begin(unsigned cpu, std::int64_t icount_ns, std::int64_t warps_ns) {
  machine_ = Machine(machine_.spec());  // cold caches: what a region shows depends on nothing before it
  time_.begin(cpu, icount_ns, warps_ns);
  region_ = {};
  region_.begin_ns = region_.counted_ns = time_.modelled_ns();
}

void Session::count() {
  machine_.reset_counters();
  time_.reset_counters();
  region_.counted_ns = time_.modelled_ns();
}

void Session::close(bool cut) {
  time_.close_counters();
  region_.end_ns = time_.modelled_ns();
  region_.yields = time_.yields();
  region_.cut = cut;
  const MachineSpec& spec = machine_.spec();
  for (unsigned cpu = 0; cpu < report_.cpus; ++cpu) {
    CpuReport report;
    report.values = {{"elapsed", time_.elapsed(cpu)}, {"idle", time_.idle(cpu)}};
    for (auto& counter : listing(machine_.counters(cpu))) report.values.push_back(std::move(counter));
    region_.cpus.push_back(std::move(report));
  }
  for (unsigned package = 0; package < spec.cpus / spec.cpus_per_package; ++package) {
    region_.bus_busy.push_back(machine_.bus_busy(package));
  }
  for (unsigned node = 0; node < spec.nodes.size(); ++node) region_.memory_busy.push_back(machine_.memory_busy(node));
  region_.dma = machine_.dma_counters();
  report_.regions.push_back(std::exchange(region_, {}));
}

void Session::resume(unsigned cpu) {
  if (time_.resume(cpu)) time_.advance(cpu, machine_.halt_exit(cpu));
}

}  // namespace rig::model
