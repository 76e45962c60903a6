// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/accelerator.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "rig/base/base.h"

namespace rig {
namespace {

constexpr std::chrono::seconds probe_limit{10};
// A host that works stays so; a failure may have been a busy hour's, and is asked about again.
constexpr std::chrono::hours failure_holds{24};

std::string stored_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::chrono::file_clock::duration age(const std::filesystem::path& file) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  return error ? std::chrono::file_clock::duration::max() : std::chrono::file_clock::now() - written;
}

// vmlinux is an ELF file and is booted by PVH; a bzImage is not.
BootProtocol protocol_of(const std::filesystem::path& kernel) {
  std::ifstream in(kernel, std::ios::binary);
  char magic[4] = {};
  in.read(magic, sizeof magic);
  return std::string_view(magic, 4) == "\177ELF" ? BootProtocol::Pvh : BootProtocol::BzImage;
}

Topology probe_machine() {
  Topology machine{.name = "probe", .title = "the smallest guest", .cpu_model = "qemu64"};
  machine.nodes = {{.cpus = {0}, .memory = 256u << 20}};
  return machine;
}

// Nothing where the guest came up, else what happened instead.
std::optional<std::string> boot_probe(Hypervisor& hypervisor, const QemuAbilities& qemu,
                                      const std::filesystem::path& directory, const std::filesystem::path& kernel,
                                      const std::filesystem::path& initrd, std::stop_token stop) {
  VmSpec spec{.name = fmt::format("rig-probe-{}", ::getpid()), .topology = probe_machine()};
  spec.accelerator = Accelerator::Kvm;
  spec.kernel = kernel;
  spec.protocol = protocol_of(kernel);
  spec.initrd = initrd;
  spec.cmdline = kernel_cmdline(spec.topology, spec.accelerator, {});
  spec.console = directory / "console";
  spec.results = directory / "results";
  const SessionResult result = hypervisor.run(spec, domain_xml(spec, qemu), {.wall = probe_limit}, stop);
  if (stop.stop_requested()) throw InterruptedError();
  if (result.booted.count() > 0) return {};
  if (result.wall_limit) {
    const bool kernel_spoke = stored_text(spec.console).find("Linux version") != std::string::npos;
    return fmt::format("a probe guest did not reach its {} within {} s", kernel_spoke ? "first process" : "kernel",
                       probe_limit.count());
  }
  if (result.end == DomainEnd::Failed) return "a probe guest does not start: " + result.detail;
  return "a probe guest ended before its first process";
}

std::string key(const QemuAbilities& qemu, const std::filesystem::path& kernel, const std::filesystem::path& initrd) {
  utsname host{};
  ::uname(&host);
  return KeyHasher()
      .field("cpu", host_cpu(stored_text("/proc/cpuinfo")))
      .field("host", std::string(host.release) + " " + host.version)
      .field("qemu", qemu.binary + " " + qemu.version)
      .field("libvirt", libvirt_version())
      .field("kernel", sha256_of_file(kernel))
      .field("initrd", sha256_of_file(initrd))
      .field("user", std::to_string(::geteuid()))
      .hex();
}

}  // namespace

std::optional<std::string> device_fault(const std::filesystem::path& device) {
  const int fd = ::open(device.c_str(), O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    ::close(fd);
    return {};
  }
  if (errno == ENOENT) return "this host has no " + device.string();
  if (errno == EACCES || errno == EPERM)
    return "no rights to " + device.string() + " (on Debian: adduser USER kvm, then log in again)";
  return device.string() + " does not open: " + std::generic_category().message(errno);
}

std::string host_cpu(const std::string& cpuinfo) {
  std::string found;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line) && !line.empty();)
    for (const char* wanted : {"vendor_id", "cpu family", "model", "stepping", "microcode"})
      if (line.rfind(wanted, 0) == 0) found += line + "\n";  // "model" takes "model name" too
  return found;
}

std::optional<std::string> kvm_fault_by(const std::filesystem::path& device, Hypervisor& hypervisor,
                                        const std::filesystem::path& cache, const std::filesystem::path& probe_kernel,
                                        const std::filesystem::path& probe_initrd, std::stop_token stop) {
  // cheap to find out, and mended without any of the versions changing: never cached
  if (const auto fault = device_fault(device)) return fault;
  const QemuAbilities qemu = probe_qemu();
  const std::filesystem::path remembered = cache / "probes" / ("kvm-" + key(qemu, probe_kernel, probe_initrd));
  const std::string before = stored_text(remembered);
  if (before == "works\n") return {};
  if (before.size() > 1 && before.back() == '\n' && age(remembered) < failure_holds)
    return before.substr(0, before.size() - 1);

  make_directories(cache / "probes");
  const TempDir directory(cache / "probes", "boot");
  const auto fault = boot_probe(hypervisor, qemu, directory.path(), probe_kernel, probe_initrd, stop);
  write_file(remembered, fault ? *fault + "\n" : "works\n");
  return fault;
}

std::optional<std::string> kvm_fault(Hypervisor& hypervisor, const std::filesystem::path& cache,
                                     const std::filesystem::path& probe_kernel,
                                     const std::filesystem::path& probe_initrd, std::stop_token stop) {
  return kvm_fault_by("/dev/kvm", hypervisor, cache, probe_kernel, probe_initrd, std::move(stop));
}

}  // namespace rig
