// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/error.h"
#include "rig/base/units.h"
#include "rig/vm/qemu_words.h"
#include "rig/vm/vm.h"
#include "rig/vm/xml_tree.h"

namespace rig {
namespace {

constexpr const char* qemu_namespace = "http://libvirt.org/schemas/domain/qemu/1.0";
// The guest's clock starts here in virtual time: one fixed instant, 2020-01-01T00:00:00Z.
constexpr long long virtual_epoch = 1577836800;

long long kib(std::uint64_t bytes) { return static_cast<long long>(bytes / 1024); }

std::string smp_cache_name(const Cache& cache) {
  if (cache.level != 1) return fmt::format("l{}", cache.level);
  return cache.type == CacheType::Instruction ? "l1i" : "l1d";
}

// The level of QEMU's machine at which so many cores share one cache.
std::string sharing_level(const Topology& topology, const Cache& cache) {
  if (cache.shared_by == 1) return "core";
  if (cache.shared_by == topology.cores) return "die";
  if (cache.shared_by == topology.cores * topology.dies) return "socket";
  throw InputError(fmt::format(
      "{}: QEMU cannot show an L{} cache shared by {} cores; a core's own, a die's ({} cores) or a socket's "
      "({} cores) can be shown: choose dies and cores so that the sharing cores fill one of them",
      topology.name, cache.level, cache.shared_by, topology.cores, topology.cores * topology.dies));
}

// The -machine words that share caches otherwise than QEMU does by itself (L1 and L2 a core's own,
// L3 a die's); empty where nothing differs.
std::string smp_cache_words(const Topology& topology) {
  std::string words;
  int index = 0;
  const auto share = [&](const std::string& cache, const std::string& level) {
    words += fmt::format("{}smp-cache.{}.cache={},smp-cache.{}.topology={}", index == 0 ? "" : ",", index, cache, index,
                         level);
    ++index;
  };
  bool wide = false;  // shared beyond a die
  for (const Cache& cache : topology.caches) {
    const std::string level = sharing_level(topology, cache);
    wide = wide || level == "socket";
    if (level != (cache.level == 3 ? "die" : "core")) share(smp_cache_name(cache), level);
  }
  // QEMU checks the L3 that it does not show: it must not be shared by fewer than an L2
  if (wide && data_cache(topology, 3) == nullptr) share("l3", "socket");
  return words;
}

// QEMU wants a node for every CPU that the packages have room for: those missing go where the last one is.
std::vector<int> with_room(const Topology& topology, std::vector<int> cpus) {
  if (cpus.back() != cpu_count(topology) - 1) return cpus;
  for (int cpu = cpu_count(topology); cpu < cpu_room(topology); ++cpu) cpus.push_back(cpu);
  return cpus;
}

void add_cpu(XmlElement domain, const Topology& topology) {
  XmlElement cpu = domain.add("cpu");
  // check='none': under TCG libvirt's own list of a model's features does not match QEMU's
  cpu.set("mode", "custom").set("match", "exact").set("check", "none");
  cpu.add("model", topology.cpu_model).set("fallback", "forbid");
  cpu.add("topology")
      .set("sockets", package_count(topology))
      .set("dies", topology.dies)
      .set("cores", topology.cores)
      .set("threads", topology.threads);
  if (data_cache(topology, 3) != nullptr)
    cpu.add("cache").set("level", 3).set("mode", "emulate");
  else
    cpu.add("cache").set("mode", "disable");
  // One node is a machine without a NUMA table, as such hardware has none.
  if (topology.nodes.size() < 2) return;
  XmlElement numa = cpu.add("numa");
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const NumaNode& node = topology.nodes[i];
    XmlElement cell = numa.add("cell");
    cell.set("id", static_cast<long long>(i));
    if (!node.cpus.empty()) cell.set("cpus", format_cpu_list(with_room(topology, node.cpus)));
    cell.set("memory", kib(node.memory)).set("unit", "KiB");
    if (i >= topology.distances.size()) continue;
    XmlElement distances = cell.add("distances");
    for (std::size_t j = 0; j < topology.distances[i].size(); ++j)
      distances.add("sibling").set("id", static_cast<long long>(j)).set("value", topology.distances[i][j]);
  }
}

void check_pinning(const VmSpec& spec) {
  const Pinning& pins = *spec.pinning;
  const auto cpus = static_cast<std::size_t>(cpu_count(spec.topology));
  const auto empty = [](const std::vector<int>& set) { return set.empty(); };
  if (in_virtual_time(spec.accelerator))
    throw InputError(fmt::format("{}: a guest in virtual time ({}) has one thread for all vCPUs and cannot be pinned",
                                 spec.topology.name, to_string(spec.accelerator)));
  if (pins.vcpus.size() != cpus || std::any_of(pins.vcpus.begin(), pins.vcpus.end(), empty) || pins.emulator.empty())
    throw InputError(fmt::format("{}: pins are needed for each of its {} CPUs and for QEMU's other threads",
                                 spec.topology.name, cpus));
  if (!pins.memory.empty() && pins.memory.size() != spec.topology.nodes.size())
    throw InputError(fmt::format("{}: host nodes for {} of its {} NUMA nodes", spec.topology.name, pins.memory.size(),
                                 spec.topology.nodes.size()));
}

std::string mode_word(Pinning::MemoryMode mode) { return mode == Pinning::MemoryMode::Strict ? "strict" : "preferred"; }

void add_memory_place(XmlElement domain, const Pinning& pins) {
  const auto given = [](const std::optional<Pinning::Memory>& memory) { return memory.has_value(); };
  if (std::any_of(pins.memory.begin(), pins.memory.end(), given)) {
    XmlElement tune = domain.add("numatune");
    for (std::size_t i = 0; i < pins.memory.size(); ++i) {
      if (!pins.memory[i]) continue;
      // a guest of one node has no NUMA table that memnode could name a cell of
      XmlElement place = tune.add(pins.memory.size() == 1 ? "memory" : "memnode");
      if (pins.memory.size() > 1) place.set("cellid", static_cast<long long>(i));
      place.set("mode", mode_word(pins.memory[i]->mode)).set("nodeset", pins.memory[i]->host_node);
    }
  }
  if (pins.huge_page == 0 && !pins.locked) return;
  XmlElement backing = domain.add("memoryBacking");
  if (pins.huge_page != 0) backing.add("hugepages").add("page").set("size", kib(pins.huge_page)).set("unit", "KiB");
  if (pins.locked) backing.add("locked");
}

void add_pinning(XmlElement domain, const VmSpec& spec) {
  if (!spec.pinning) return;
  check_pinning(spec);
  const Pinning& pins = *spec.pinning;
  XmlElement tune = domain.add("cputune");
  for (std::size_t i = 0; i < pins.vcpus.size(); ++i)
    tune.add("vcpupin").set("vcpu", static_cast<long long>(i)).set("cpuset", format_cpu_list(pins.vcpus[i]));
  tune.add("emulatorpin").set("cpuset", format_cpu_list(pins.emulator));
  add_memory_place(domain, pins);
}

void add_clock(XmlElement domain, bool virtual_time) {
  XmlElement clock = domain.add("clock");
  if (!virtual_time) {
    clock.set("offset", "utc");
    return;
  }
  clock.set("offset", "absolute").set("start", virtual_epoch);
  clock.add("timer").set("name", "rtc").set("track", "guest");  // -rtc clock=vm
}

void add_serial(XmlElement devices, const std::filesystem::path& file, int port) {
  XmlElement serial = devices.add("serial");
  serial.set("type", "file");
  serial.add("source").set("path", file.string()).set("append", "off");
  serial.add("target").set("type", "isa-serial").set("port", port);
}

void add_results_channel(XmlElement devices, const std::filesystem::path& file) {
  XmlElement controller = devices.add("controller");
  controller.set("type", "virtio-serial").set("index", 0);
  // on the root bus: behind libvirt's usual root port a guest would need one driver more
  controller.add("address")
      .set("type", "pci")
      .set("domain", "0x0000")
      .set("bus", "0x00")
      .set("slot", "0x03")
      .set("function", "0x0");
  XmlElement channel = devices.add("channel");
  channel.set("type", "file");
  channel.add("source").set("path", file.string()).set("append", "off");
  channel.add("target").set("type", "virtio").set("name", "rig.results");
}

void add_devices(XmlElement domain, const VmSpec& spec, const QemuAbilities& qemu) {
  XmlElement devices = domain.add("devices");
  devices.add("emulator", qemu.binary);
  devices.add("controller").set("type", "usb").set("model", "none");
  add_serial(devices, spec.console, 0);
  if (spec.transport == ResultsTransport::Serial)
    add_serial(devices, spec.results, 1);
  else
    add_results_channel(devices, spec.results);
  devices.add("memballoon").set("model", "none");
}

// What libvirt 11 has no words for.
void add_qemu_words(XmlElement domain, const VmSpec& spec, const QemuAbilities& qemu) {
  XmlElement line = domain.add("qemu:commandline");
  const auto word = [&](const std::string& value) { line.add("qemu:arg").set("value", value); };
  const std::string caches = smp_cache_words(spec.topology);
  if (!caches.empty()) {
    if (!qemu.smp_cache)
      throw HostLacks(fmt::format("{}: QEMU {} cannot show the caches of this machine as shared (its machines "
                                  "have no smp-cache property)",
                                  spec.topology.name, qemu.version),
                      "install QEMU 10.0 or newer; Debian 12 has it in bookworm-backports");
    word("-machine");
    word(caches);
  }
  if (spec.topology.cpuid_level != 0) {
    word("-global");
    word(fmt::format("{}-x86_64-cpu.level={}", spec.topology.cpu_model, spec.topology.cpuid_level));
  }
  if (in_virtual_time(spec.accelerator)) {
    word("-icount");
    word(fmt::format("shift={},sleep=off", spec.icount_shift));
  }
  word("-seed");
  word(std::to_string(spec.seed));
  // The guest mixes its UUID into its random numbers. The domain's own differs from cell to cell, for libvirt
  // wants that; what the guest sees must not, or equal machines would differ by an accident.
  word("-smbios");
  word(fmt::format("type=1,uuid=00000000-0000-4000-8000-{:012x}", spec.seed));
  for (const std::string& one : nic_words(spec.nics)) word(one);
  if (spec.model) {
    word("-plugin");
    word(fmt::format("file={},spec={},out={}", doubled_commas(spec.model->plugin), doubled_commas(spec.model->spec),
                     doubled_commas(spec.model->report)));
  }
}

}  // namespace

std::string domain_xml(const VmSpec& spec, const QemuAbilities& qemu) {
  const Topology& topology = spec.topology;
  XmlTree tree("domain");
  tree.declare_namespace("qemu", qemu_namespace);
  XmlElement domain = tree.root();
  domain.set("type", spec.accelerator == Accelerator::Kvm ? "kvm" : "qemu");
  domain.add("name", spec.name);
  if (!spec.uuid.empty()) domain.add("uuid", spec.uuid);
  domain.add("memory", std::to_string(kib(memory_bytes(topology)))).set("unit", "KiB");
  XmlElement vcpu = domain.add("vcpu", std::to_string(cpu_room(topology)));
  vcpu.set("placement", "static");
  if (cpu_count(topology) < cpu_room(topology)) vcpu.set("current", cpu_count(topology));
  add_pinning(domain, spec);

  XmlElement os = domain.add("os");
  os.add("type", "hvm").set("arch", "x86_64").set("machine", "q35");
  os.add("kernel", spec.kernel.string());
  os.add("initrd", spec.initrd.string());
  os.add("cmdline", spec.cmdline);

  XmlElement features = domain.add("features");
  features.add("acpi");  // power-off
  features.add("apic");
  add_cpu(domain, topology);
  add_clock(domain, in_virtual_time(spec.accelerator));
  // A guest that resets itself has panicked: it must not boot again.
  domain.add("on_poweroff", "destroy");
  domain.add("on_reboot", "destroy");
  domain.add("on_crash", "destroy");
  add_devices(domain, spec, qemu);
  if (spec.user) {
    XmlElement label = domain.add("seclabel");
    label.set("type", "static").set("model", "dac").set("relabel", "no");
    label.add("label", fmt::format("+{}:+{}", spec.user->uid, spec.user->gid));
  } else {
    domain.add("seclabel").set("type", "none");
  }
  add_qemu_words(domain, spec, qemu);
  return tree.text();
}

}  // namespace rig
