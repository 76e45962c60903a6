// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/probes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "rig/base/base.h"
#include "rig/image/image.h"
#include "rig/plan/guest_script.h"
#include "rig/run/initrd.h"
#include "rig/run/judge.h"
#include "rig/run/modelled.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

// A folder that QEMU's user can reach.
TempDir probe_directory(const fs::path& cache) {
  make_directories(cache / "scratch");
  TempDir directory(cache / "scratch", "probe");
  fs::permissions(directory.path(), fs::perms(0755));
  return directory;
}

// The agent alone, with no work: it answers by its view of the machine.
void write_probe_initrd(const fs::path& file) {
  const fs::path agent = file.parent_path() / "agent.cpio";
  write_file(agent, cpio_archive({{.path = "init", .mode = 0100755, .data = read_file(guest_programs().agent)}}));
  GuestScript nothing;
  nothing.results = "serial:/dev/ttyS1";
  write_initrd(file, agent, script_text(nothing));
}

std::optional<std::string> probe_kvm(const ProbeGear& gear) {
  const TempDir directory = probe_directory(gear.cache);
  write_probe_initrd(directory.path() / "initrd");
  return kvm_fault(gear.hypervisor, gear.cache, gear.kernel.bzimage, directory.path() / "initrd", gear.stop);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  return text.str();
}

std::string guest_key(const ProbeGear& gear) {
  return KeyHasher()
      .field("qemu", gear.qemu.binary + " " + gear.qemu.version)
      .field("written", std::to_string(fs::last_write_time(gear.qemu.binary).time_since_epoch().count()))
      .field("libvirt", libvirt_version())
      .field("kernel", gear.kernel.key)
      .field("agent", sha256_of_file(guest_programs().agent))
      .field("machine", machine_key(gear.machine))
      .field("user", std::to_string(::geteuid()))
      .hex();
}

std::optional<std::string> boot_guest(const ProbeGear& gear) {
  const TempDir directory = probe_directory(gear.cache);
  VmSpec spec{.name = fmt::format("rig-doctor-{}", ::getpid()), .topology = gear.machine};
  spec.accelerator = Accelerator::Tcg;
  spec.protocol = gear.kernel.pvh ? BootProtocol::Pvh : BootProtocol::BzImage;
  spec.kernel = gear.kernel.pvh ? gear.kernel.vmlinux : gear.kernel.bzimage;
  spec.initrd = directory.path() / "initrd";
  spec.console = directory.path() / "console";
  spec.results = directory.path() / "results";
  spec.cmdline = kernel_cmdline(spec.topology, spec.accelerator, {});
  spec.icount_shift = 4;
  write_probe_initrd(spec.initrd);
  AttemptFacts facts;
  facts.session = gear.hypervisor.run(spec, domain_xml(spec, gear.qemu), {.wall = std::chrono::minutes(3)}, gear.stop);
  if (gear.stop.stop_requested()) throw InterruptedError();
  facts.results = decode_results(text_of(spec.results));
  facts.console = text_of(spec.console);
  facts.expected_release = gear.kernel.release;
  facts.expected_config_sha256 = gear.kernel.config_sha256;
  facts.expected_clock = "tsc";
  if (!facts.results.complete)
    return facts.session.detail.empty() ? "it sent no whole answer; its console ends: " + last_words(facts.console)
                                        : facts.session.detail;
  const auto fault = judge_view(facts, gear.machine);
  return fault ? std::optional(fault->reason) : std::nullopt;
}

}  // namespace

HostAnswers host_answers(const ProbeGear& gear, const std::function<void(const std::string&)>& say) {
  return {.kvm =
              [&gear, say] {
                say("trying KVM");
                return probe_kvm(gear);
              },
          .model =
              [&gear, say] {
                say("trying the model");
                return model_fault(gear.cache, gear.qemu, gear.kernel.bzimage, gear.machine, gear.stop);
              }};
}

std::optional<std::string> guest_fault(const ProbeGear& gear) {
  const std::string key = guest_key(gear);
  if (is_remembered(gear.cache, "guest", key)) return std::nullopt;
  auto fault = boot_guest(gear);
  if (!fault) remember(gear.cache, "guest", key);
  return fault;
}

bool is_remembered(const fs::path& cache, const std::string& name, const std::string& key) {
  std::error_code error;
  return fs::is_regular_file(cache / "probes" / (name + "-" + key), error);
}

void remember(const fs::path& cache, const std::string& name, const std::string& key) {
  make_directories(cache / "probes");
  write_file(cache / "probes" / (name + "-" + key), "works\n");
}

void forget_probes(const fs::path& cache) {
  std::error_code error;
  for (fs::directory_iterator it(cache / "probes", error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (it->is_regular_file(gone)) fs::remove(it->path(), gone);  // directories are other runs' probes under way
  }
}

}  // namespace rig
